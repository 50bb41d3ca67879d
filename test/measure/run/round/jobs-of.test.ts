import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reaper, startReaper } from '../../../../src/base/process/reaper.ts';
import type { PassRecord } from '../../../../src/journal/pass-records.ts';
import { runRound } from '../../../../src/measure/run/round/run-round.ts';
import type { RunningServer } from '../../../../src/measure/run/servers/servers.ts';
import type { StartedPostgres } from '../../../../src/measure/stack/common/postgres.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';
import { needs } from '../../../support/needs.ts';
import { startEmbeddedPostgres } from '../../../support/started-postgres.ts';
import { fakeWorld } from '../fake-world.ts';

const needed = await needs('postgres-17');
const SERVERS = 3;

describe('checkpoints of a job', needed.orSkip, () => {
  let reaper: Reaper;
  let server: StartedPostgres;
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-jobs-of-'));
  beforeAll(async () => {
    mkdirSync(join(folder, 'logs'));
    if (!needed.isHere) return;
    reaper = startReaper();
    server = await startEmbeddedPostgres({ reaper, server: { version: '17' } });
  });
  afterAll(async () => {
    await server?.stop();
    await reaper?.close();
    rmSync(folder, { recursive: true });
  });

  /** Checkpoints of a round's pass, of which `others` come from elsewhere. */
  async function checkpointsOf(job: string, others: number): Promise<PassRecord['conditions']['checkpoints'][]> {
    const text = `variants: { a: { settings: { work_mem: 4MB } }, b: { settings: { work_mem: 8MB } } }
control: a
load: { job: { command: 'true'${job} } }
`;
    const { context, records } = fakeWorld(parseScenario(text, join(folder, 'job.yaml')));
    const { stack, watch, io } = context;
    let made = 0;
    const postgres = {
      ...server,
      adminUrl(name?: string) {
        // To empty the buffers it connects elsewhere, and makes a checkpoint there.
        if (name === undefined) made++;
        return server.adminUrl();
      },
    };
    const running = { postgres } as unknown as RunningServer;
    if (stack.databases === null) throw new Error('no databases');
    const databases = {
      ...stack.databases,
      async checkpoint() {
        made += SERVERS;
        return SERVERS;
      },
    };
    const conditions: typeof watch.conditions = {
      async begin(...options) {
        const before = made;
        const pass = await watch.conditions.begin(...options);
        return { ...pass, end: async () => ({ ...(await pass.end()), checkpoints: made - before + others }) };
      },
    };
    await runRound(
      {
        ...context,
        io: { ...io, folder },
        stack: { ...stack, reaper, databases, servers: { of: () => running } },
        watch: { ...watch, conditions },
      },
      1,
    );
    expect(made).toBeGreaterThan(SERVERS);
    return records.flatMap((record) => (record.type === 'pass' ? [record.conditions.checkpoints] : []));
  }

  it('are none of the pass on any server, nor is the one before a cold job; others are', async () => {
    expect(await checkpointsOf('', 0)).toEqual([0]);
    expect(await checkpointsOf(', cold: true', 0)).toEqual([0]);
    expect(await checkpointsOf('', 1)).toEqual([1]);
  });
});
