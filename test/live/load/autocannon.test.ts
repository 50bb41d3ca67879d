import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import { countAll } from '../../../src/journal/outcomes.ts';
import type { Summary } from '../../../src/judge/summary.ts';
import { exitCodeOf, startCli } from '../../cli/cli.ts';
import { untilNothingIsLeft } from '../../cli/left-overs.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-autocannon-'));
const servers: Server[] = [];
afterAll(() => {
  rmSync(folder, { recursive: true });
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function answersAfter(ms: number, closes: boolean): Promise<string> {
  let requests = 0;
  const server = createServer((_, response) => {
    if (closes && ++requests % 10 === 0) response.setHeader('connection', 'close');
    setTimeout(() => response.end('ok'), ms);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('a sweep whose load autocannon makes has verdicts, its own results, and says what they miss', async () => {
  const [quick, slow] = [await answersAfter(20, false), await answersAfter(40, true)];
  const file = join(folder, 'scenario.yaml');
  writeFileSync(
    file,
    `target: { url: "${quick}" }
variants: { Control: {}, Slow: { url: "${slow}" } }
control: Control
load: { autocannon: true, connections: 10, slice: 2s, warmup: 1s, requests: [{ path: / }] }
rounds: { min: 4, max: 4 }
`,
  );
  const run = join(folder, 'run');
  const { code, err } = await startCli(['sweep', file, '--seed', '7', '--out', run]).done;
  expect(code, err).toBe(exitCodeOf(run));
  const records = [...readJournal(join(run, 'journal.jsonl')).records];
  const slices = records.flatMap((record) => (record.type === 'slice' ? [record] : []));
  expect(slices).toHaveLength(12);
  const told = records.flatMap((record) => (record.type === 'probe' && record.probe === 'autocannon' ? [record] : []));
  for (const { load, latency, outcomes, round, slice, turns, variant, whole, generator } of slices) {
    expect(load).toEqual({ connections: 10, of: 'autocannon' });
    expect(turns?.ok).toHaveLength(1);
    expect(outcomes).toMatchObject({ errors: 0, timeouts: 0 });
    expect(latency.count).toBe(countAll(outcomes));
    expect(latency.p50Us).toBeGreaterThan(variant === 'Slow' ? 39_000 : 19_000);
    expect(generator.cpuMs).toBeGreaterThan(0);
    const own = JSON.parse(readFileSync(join(run, 'autocannon', `round-${round}-slice-${slice}.json`), 'utf8'));
    expect(own).toMatchObject({ '2xx': whole.statuses['200'], title: `${variant}, autocannon, 10 connections` });
    const values = told.find((one) => one.slice === slice && one.round === round)?.values ?? {};
    expect(values.autocannon_p99_ms).toBe(own.latency.p99);
    if (variant === 'Slow') expect(values.autocannon_lost).toBeGreaterThan(0);
    else expect(values.autocannon_lost).toBe(0);
  }
  expect(readdirSync(join(run, 'autocannon'))).toHaveLength(12);
  const summary: Summary = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8'));
  expect(summary.notes).toContainEqual({
    kind: 'by-autocannon',
    cutOff: expect.any(Number),
    lost: expect.any(Number),
    variants: ['Slow'],
  });
  const rate = summary.comparisons.find(({ metric }) => metric === 'requests_per_s');
  expect(rate).toMatchObject({ rounds: 4, verdict: summary.session.verdict === 'fit' ? 'lower' : 'unfit' });
  const report = readFileSync(join(run, 'report.md'), 'utf8');
  expect(report).toContain('requests a slice on connections that the service of Slow closed');
  expect(report).toContain('autocannon_p99_ms');
  await untilNothingIsLeft();
});
