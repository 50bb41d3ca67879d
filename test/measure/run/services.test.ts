import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageOf } from '../../../src/base/errors.ts';
import { type Journal, readJournal } from '../../../src/journal/journal.ts';
import { summarize } from '../../../src/judge/summary.ts';
import type { RunEvent } from '../../../src/measure/run/events.ts';
import { runFolderAt } from '../../../src/measure/run/run-folder.ts';
import { groupTables } from '../../../src/report/tables/probe-tables.ts';
import { runLive } from '../../support/live-run.ts';
import { descendantsOf } from '../../support/processes.ts';

/** Something that only this test starts, so that its processes are told from those of others. */
const WORKER = 'exec sleep 98765';
const example = 'docs/examples/proxied/pgsweep.yaml';
const text = readFileSync(example, 'utf8')
  .replace('  underLoad', `    worker: { command: ${WORKER} }\n  underLoad`)
  .replace('connections: [1, 25]', 'connections: 2\n  slice: 800ms\n  warmup: 300ms')
  .concat('rounds: { min: 1 }\n');

let path = '';
let journal: Journal;
let failure = '';

/** One round of the example, with a worker beside; that of the control is killed in the second. */
beforeAll(async () => {
  path = mkdtempSync(join(tmpdir(), 'pgsweep-services-'));
  let round = 0;
  const emit = (event: RunEvent): void => {
    if (event.kind === 'round-started') round = event.round;
    if (event.kind !== 'pass-started' || round < 2) return;
    const worker = descendantsOf(process.pid).find(({ args }) => args === WORKER.replace('exec ', ''));
    if (worker !== undefined) process.kill(worker.pid, 'SIGKILL');
  };
  await runLive({ text, file: example, path }, { emit }).catch((error: unknown) => {
    failure = messageOf(error);
  });
  journal = readJournal(runFolderAt(path).journal);
});
afterAll(() => rmSync(path, { recursive: true }));

describe('a session of several services', () => {
  const valuesOf = (probe: string, of?: string): readonly Readonly<Record<string, number>>[] =>
    [...journal.records].flatMap((record) =>
      record.type === 'probe' && record.round === 1 && record.probe === probe && record.arm === (of ?? record.arm)
        ? [record.values]
        : [],
    );

  it('tells the CPU and the memory of each, and of all together', () => {
    const [first, ...others] = valuesOf('processes');
    expect(others).toHaveLength(2);
    const of = (value: string, process: string): number => first?.[`${value}{process="${process}"}`] ?? Number.NaN;
    const cores = ['api', 'proxy', 'worker'].map((name) => of('service_cpu_cores', name));
    expect(first?.service_cpu_cores).toBeCloseTo(
      cores.reduce((sum, one) => sum + one, 0),
      4,
    );
    expect(cores[0]).toBeGreaterThan(0);
    expect(cores[1]).toBeGreaterThan(0);
    expect(of('service_cpu_user_cores', 'proxy') + of('service_cpu_system_cores', 'proxy')).toBeCloseTo(
      cores[1] ?? 0,
      4,
    );
    expect(of('service_memory_max_bytes', 'proxy')).toBeGreaterThan(of('service_memory_max_bytes', 'worker'));
  });

  it('tells the bytes between each and its backends, a request', () => {
    const kept = valuesOf('backend-bytes', 'Connections kept')[0] ?? {};
    const of = (way: string, from: string, to: string): number =>
      kept[`backend_${way}_bytes_per_request{from="${from}",to="${to}"}`] ?? Number.NaN;
    // A head line and its headers; an answer with ten items, or none.
    expect(of('sent', 'proxy', 'api')).toBeGreaterThan(50);
    expect(of('received', 'proxy', 'api')).toBeGreaterThan(of('sent', 'proxy', 'api'));
    expect(of('sent', 'api', 'postgres')).toBeGreaterThan(30);
    expect(of('received', 'api', 'postgres')).toBeGreaterThan(50);
    expect(kept['backend_connections_closed{from="api",to="postgres"}']).toBe(0);
    expect(Object.keys(kept).every((name) => !name.includes('from="worker"'))).toBe(true);
  });

  it('has tables of both', () => {
    const summary = summarize(journal);
    const [load] = summary.run.loads;
    if (load === undefined) throw new Error('a run without a load level');
    const tables = groupTables(summary, load);
    expect(tables.map(({ title }) => title)).toEqual([
      'Processes of the service, averages',
      'Processes of the service, change against Connections kept',
      'Bytes a request, between the service and its backends, averages',
      'Bytes a request, between the service and its backends, change against Connections kept',
    ]);
    const firstColumn = (place: number): string[] => tables[place]?.rows.map(([cell]) => cell?.text ?? '') ?? [];
    expect(firstColumn(0).slice(0, 4)).toEqual([
      'api: CPU, cores',
      'api: CPU of its own work, cores',
      "api: CPU of the kernel's work for it, cores",
      'api: memory, most, bytes',
    ]);
    expect(firstColumn(2)).toEqual(['api to postgres', 'postgres to api', 'proxy to api', 'api to proxy']);
  });

  it('ends with the name of the one that has ended, and nothing is left', () => {
    expect(failure).toMatch(/^the service of ".*" ended under load \(worker: SIGKILL\)/);
    const left = descendantsOf(process.pid).filter(({ args }) =>
      /sleep 98765|proxy\.mjs|items\/server\.mjs/.test(args),
    );
    expect(left).toEqual([]);
  });
});
