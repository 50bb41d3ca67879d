import type { ServiceConfig } from './config.ts';
import type { ServiceContext } from './context.ts';
import { createMetrics } from './metrics.ts';
import { createPool } from './pool.ts';
import { ensureSchema } from './schema.ts';
import { createServer } from './server.ts';
import { createStatements } from './statements.ts';

export interface StartedService {
  readonly url: string;
  /** Stops listening, finishes what is in flight, and closes the pool. */
  stop(): Promise<void>;
}

const idleSweepMs = 20;

/** Starts the document service: the schema where there is none, then the server. */
export async function startService(config: ServiceConfig): Promise<StartedService> {
  const pool = createPool(config);
  const service: ServiceContext = { config, pool, statements: createStatements(config), metrics: createMetrics(pool) };
  const app = createServer(service);
  try {
    await ensureSchema(pool);
    const url = await app.listen({ host: config.host, port: config.port });
    return {
      url,
      async stop() {
        // A connection that was busy when the server closed stays open when its request is done, until it times out.
        const sweep = setInterval(() => app.server.closeIdleConnections(), idleSweepMs);
        await app.close();
        clearInterval(sweep);
        service.metrics.close();
        await pool.end();
      },
    };
  } catch (error) {
    await app.close();
    service.metrics.close();
    await pool.end();
    throw error;
  }
}
