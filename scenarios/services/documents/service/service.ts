import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import { ensureSchema } from '../model/schema.ts';
import type { ServiceConfig } from './config.ts';
import { createLiveSettings } from './live-settings.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createPool } from './pool.ts';
import { endPool } from './pool-size.ts';
import type { SearchIndex } from './search/search-index.ts';
import { createServer } from './server.ts';

export interface StartedService {
  readonly url: string;
  /** Stops listening, finishes what is in flight, indexes what is queued, and closes the pool. */
  stop(): Promise<void>;
}

const idleSweepMs = 20;

/** Starts the document service: the schema where there is none, then the server. */
export async function startService(config: ServiceConfig): Promise<StartedService> {
  const pool = createPool(config);
  const metrics = createMetrics(pool);
  let search: SearchIndex | null = null;
  let app: FastifyInstance | null = null;
  try {
    search = await openSearch(config, pool, metrics);
    const live = createLiveSettings(config, pool);
    const server = createServer({
      config,
      pool,
      live,
      get statements() {
        return live.statements;
      },
      metrics,
      search,
    });
    app = server;
    await ensureSchema(pool);
    const idle = idleConnections(server.server);
    const url = await server.listen({ host: config.host, port: config.port });
    return { url, stop: () => stop(server, { idle, search, metrics, pool }) };
  } catch (error) {
    await app?.close();
    await search?.close();
    metrics.close();
    await endPool(pool);
    throw error;
  }
}

async function openSearch(config: ServiceConfig, pool: Pool, { registry }: Metrics): Promise<SearchIndex | null> {
  if (config.searchMode === 'off') return null;
  // To load OpenSearch's client takes 0.2 s, which a start without search need not wait for.
  const { openSearchIndex } = await import('./search/search-index.ts');
  return openSearchIndex(config, pool, registry);
}

interface Opened {
  readonly idle: ReturnType<typeof idleConnections>;
  readonly search: SearchIndex | null;
  readonly metrics: Metrics;
  readonly pool: Pool;
}

async function stop(server: FastifyInstance, { idle, search, metrics, pool }: Opened): Promise<void> {
  // A connection that was busy when the server closed stays open when its request is done, until it times out.
  const sweep = setInterval(() => idle.close(), idleSweepMs);
  await server.close();
  clearInterval(sweep);
  await search?.close();
  metrics.close();
  await endPool(pool);
}

/**
 * Closes, when called, the connections on which nothing is being answered. Node's own closeIdleConnections leaves those
 * on which no request has come yet, such as clients open for a request that they then abort: measured with fetch, three
 * of eight. A server that closes waits for them as long as the client likes, since it stops to look for timeouts.
 */
function idleConnections(server: Server): { close(): void } {
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  return {
    close() {
      server.closeIdleConnections();
      for (const socket of unused) socket.destroy();
    },
  };
}
