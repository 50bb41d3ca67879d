import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { messageOf } from '../errors.ts';
import type { ServiceContext } from './context.ts';
import { ServiceError, toServiceError } from './errors.ts';
import { addRoutes } from './routes.ts';
import { warn } from './warn.ts';

const bodyLimitBytes = 1024 * 1024;

/** Builds the HTTP server. It does not listen yet. */
export function createServer(service: ServiceContext): FastifyInstance {
  const app = Fastify({
    bodyLimit: bodyLimitBytes,
    // While it stops, a request on a connection that is still open is served, and the connection closed after it.
    return503OnClosing: false,
    frameworkErrors: sendError,
  });
  app.removeContentTypeParser('text/plain');
  app.setErrorHandler(sendError);
  app.setNotFoundHandler(sendNotFound);
  app.addHook('onRequest', (request, reply, done) => {
    // Whoever counts must not be counted. `close` comes also where the client has gone before its answer.
    if (request.routeOptions.url !== '/metrics') reply.raw.once('close', service.metrics.beginRequest());
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched';
    service.metrics.observeRequest(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });
  addRoutes(app, service);
  return app;
}

function sendError(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  const answer = toServiceError(error);
  if (answer.statusCode >= 500) {
    const cause = answer.cause === undefined ? '' : `: ${messageOf(answer.cause) || String(answer.cause)}`;
    warn(`${request.method} ${request.routeOptions.url ?? request.url}: ${answer.message}${cause}`);
  }
  reply.code(answer.statusCode).send({ error: { code: answer.code, message: answer.message, ...answer.details } });
}

const methodsByRoute: readonly [route: RegExp, methods: string][] = [
  [/^\/(health|metrics)$/, 'GET, HEAD'],
  [/^\/ed-fi\/[^/]+$/, 'GET, HEAD, POST'],
  [/^\/ed-fi\/[^/]+\/[^/]+$/, 'GET, HEAD, PUT, DELETE'],
];

function sendNotFound(request: FastifyRequest, reply: FastifyReply): void {
  const path = request.url.split('?', 1)[0] ?? '';
  const methods = methodsByRoute.find(([route]) => route.test(path))?.[1];
  if (methods?.split(', ').includes(request.method) === false) {
    reply.header('allow', methods);
    const message = `${request.method} is not allowed here; expected one of ${methods}`;
    sendError(new ServiceError(405, 'method_not_allowed', message), request, reply);
    return;
  }
  const message = `There is nothing at ${path}; documents are at /ed-fi/<resource> and /ed-fi/<resource>/<id>`;
  sendError(new ServiceError(404, 'unknown_route', message), request, reply);
}
