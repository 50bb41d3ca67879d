import type { FastifyInstance } from 'fastify';
import type { ServiceContext } from './context.ts';
import { ServiceError } from './errors.ts';
import { parseListQuery } from './list-query.ts';
import type { LiveSettings } from './live-settings.ts';
import { getDocument, listDocuments, pingDatabase } from './read.ts';
import { readDocument, readUuid, requireResource } from './request.ts';
import { indexDocument } from './search/change.ts';
import { deleteDocument } from './write/delete.ts';
import { notFound } from './write/find-by-uuid.ts';
import { put } from './write/put.ts';
import { upsert } from './write/upsert.ts';
import { runWrite } from './write/write-transaction.ts';

interface ToResource {
  Params: { resource: string };
}

interface ToDocument {
  Params: { resource: string; uuid: string };
}

const json = 'application/json; charset=utf-8';

/** Adds everything that the service answers. */
export function addRoutes(app: FastifyInstance, service: ServiceContext): void {
  addReads(app, service);
  addWrites(app, service);
  if (service.config.admin) addAdmin(app, service);

  app.get('/health', async () => {
    await pingDatabase(service);
    return { status: 'ok' };
  });

  app.get('/metrics', async (_request, reply) => {
    const { registry } = service.metrics;
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

function addReads(app: FastifyInstance, service: ServiceContext): void {
  app.get<ToResource & { Querystring: Record<string, unknown> }>('/ed-fi/:resource', async (request, reply) => {
    const { name } = requireResource(request.params.resource);
    const query = parseListQuery(request.query);
    const fromIndex = service.config.queryFrom === 'opensearch' ? service.search : null;
    const documents = fromIndex ? await fromIndex.list(name, query) : await listDocuments(service, name, query);
    return reply.type(json).send(documents);
  });

  app.get<ToDocument>('/ed-fi/:resource/:uuid', async (request, reply) => {
    const { name } = requireResource(request.params.resource);
    const uuid = readUuid(request.params.uuid);
    const document = await getDocument(service, name, uuid);
    if (document === null) throw notFound(name, uuid);
    return reply.type(json).send(document);
  });
}

function addWrites(app: FastifyInstance, service: ServiceContext): void {
  app.post<ToResource>('/ed-fi/:resource', async (request, reply) => {
    const { endpoint } = requireResource(request.params.resource);
    const document = readDocument(endpoint, request.body, null);
    const { uuid, isNew } = await runWrite(service, upsert, document);
    await service.search?.apply(indexDocument(document, uuid));
    reply.code(isNew ? 201 : 200).header('location', `/ed-fi/${endpoint}/${uuid}`);
    return { id: uuid };
  });

  app.put<ToDocument>('/ed-fi/:resource/:uuid', async (request, reply) => {
    const { endpoint } = requireResource(request.params.resource);
    const uuid = readUuid(request.params.uuid);
    const document = readDocument(endpoint, request.body, uuid);
    await runWrite(service, put, { uuid, document });
    await service.search?.apply(indexDocument(document, uuid));
    return reply.code(204).send();
  });

  app.delete<ToDocument>('/ed-fi/:resource/:uuid', async (request, reply) => {
    const { name: resourceName } = requireResource(request.params.resource);
    const uuid = readUuid(request.params.uuid);
    await runWrite(service, deleteDocument, { resourceName, uuid });
    await service.search?.apply({ operation: 'delete', resourceName, uuid });
    return reply.code(204).send();
  });
}

/** Adds what changes the service while it runs, for clients on this machine alone. */
function addAdmin(app: FastifyInstance, { live }: Pick<ServiceContext, 'live'>): void {
  app.get('/admin/settings', async ({ socket }) => {
    requireLoopback(socket.remoteAddress);
    return live.read();
  });
  app.put('/admin/settings', async ({ socket, body }): Promise<ReturnType<LiveSettings['read']>> => {
    requireLoopback(socket.remoteAddress);
    await live.change(body);
    return live.read();
  });
}

/** Throws a 403 for an address of another machine, or one that is not known. */
export function requireLoopback(address: string | undefined): void {
  if (address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address)) return;
  throw new ServiceError(403, 'not_local', 'The settings are changed from this machine only');
}
