import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeDocument } from '../../../scenarios/services/documents/model/document.ts';

export interface Posted {
  readonly resource: string;
  readonly body: Record<string, unknown>;
  readonly aliasIds: readonly string[];
  readonly references: readonly string[];
}

/** A server that knows of each document what has come before it, and answers as the test says. */
export interface DocumentServer {
  readonly url: string;
  readonly posted: Posted[];
  /** Posts whose references had not all been accepted when they came. */
  readonly early: Posted[];
  /** Most requests that waited for an answer at once. */
  readonly mostUnderWay: number;
  readonly connections: number;
  closeIdle(): void;
  close(): void;
  /** On the same port as before. */
  open(): Promise<void>;
}

export type AnswerPost = (posted: Posted, response: ServerResponse) => void;

export async function startDocumentServer(answer: AnswerPost): Promise<DocumentServer> {
  const posted: Posted[] = [];
  const early: Posted[] = [];
  const accepted = new Set<string>();
  let underWay = 0;
  let mostUnderWay = 0;
  let connections = 0;
  let port = 0;
  let server: Server;
  const open = async (): Promise<void> => {
    server = createServer((request, response) => {
      if (request.method !== 'POST') return void response.end('up');
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const resource = (request.url ?? '').split('/').pop() ?? '';
        const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        const { aliasIds, references } = describeDocument(resource, body);
        const post = { resource, body, aliasIds, references: references.map(({ documentId }) => documentId) };
        posted.push(post);
        if (post.references.some((id) => !accepted.has(id))) early.push(post);
        mostUnderWay = Math.max(mostUnderWay, ++underWay);
        response.on('close', () => underWay--);
        // Once it is on the wire, and not before, somebody may act on it.
        response.on('finish', () => {
          if (response.statusCode < 300) for (const id of aliasIds) accepted.add(id);
        });
        answer(post, response);
      });
    });
    server.on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  };
  await open();
  return {
    posted,
    early,
    open,
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    get mostUnderWay() {
      return mostUnderWay;
    },
    get connections() {
      return connections;
    },
    closeIdle: () => server.closeIdleConnections(),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Answers 201 with an id, after a time. */
export function created(response: ServerResponse, afterMs = 0): void {
  const end = (): void => {
    response.writeHead(201, { location: `/ed-fi/x/${Math.random().toString(36).slice(2)}` }).end('{}');
  };
  if (afterMs === 0) end();
  else setTimeout(end, afterMs);
}
