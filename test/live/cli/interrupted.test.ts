import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Summary } from '../../../src/judge/summary.ts';
import { cli, exitCodeOf, startCli } from '../../cli/cli.ts';
import { untilNothingIsLeft } from '../../cli/left-overs.ts';
import { descendantsOf } from '../../support/processes.ts';

const fixtures = resolve('test/fixtures/services');
let folder: string;
/** The items service under one load: what is interrupted has no more to do for another. */
let items: string;
let run: string;
let runs = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-cli-'));
  items = written('items.yaml', { 'connections: [1, 4]': 'connections: 4' });
});
beforeEach(() => {
  run = join(folder, `run-${runs++}`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const summaryOf = (path: string): Summary => JSON.parse(readFileSync(join(path, 'summary.json'), 'utf8'));

describe('an interrupted run', () => {
  it.each([
    ['by Ctrl-C', () => items, 0],
    ['by Ctrl-C while autocannon sends', byAutocannon, 3],
  ] as const)(
    '%s: exit 130, nothing left, finished rounds reported, and it can be gone on with',
    async (_, scenario, ownResults) => {
      const running = startCli(['sweep', scenario(), '--out', run, '--rounds', '40']);
      await running.until(/round 1 done/);
      // Of autocannon the next slice has begun by then.
      if (ownResults > 0) await expect.poll(() => ownResultsOf(2), { timeout: 60_000 }).toBeGreaterThan(0);
      else await sleep(1000);
      process.kill(running.pid, 'SIGINT');
      const { code, err, out } = await running.done;
      expect(code).toBe(130);
      expect(err).toContain(`Resume it: pgsweep sweep --resume ${run}`);
      expect(err).not.toMatch(/internal error|crashed/);
      const { rounds, failed } = summaryOf(run).run;
      expect(failed?.code).toBe('interrupted');
      expect(rounds).toBeGreaterThan(0);
      expect(out).toContain(`${rounds} round`);
      await untilNothingIsLeft();
      expect(readdirSync(run, { recursive: true }).filter((name) => String(name).endsWith('.tmp'))).toEqual([]);
      expect(ownResultsOf(1)).toBe(ownResults);

      const resumed = await cli('sweep', '--resume', run, '--rounds', `${rounds + 1}`, '--json', '--quiet');
      expect(resumed.code, resumed.err).toBe(exitCodeOf(run));
      expect((JSON.parse(resumed.out) as Summary).run).toMatchObject({ rounds: rounds + 1, complete: true });
      expect(ownResultsOf(rounds + 1)).toBe(ownResults);
      await untilNothingIsLeft();
    },
  );

  it('by Ctrl-C before an extension has begun: the command that continues it says how far it was to go', async () => {
    expect((await cli('sweep', items, '--out', run, '--rounds', '1', '--quiet')).err).not.toContain('error');
    const running = startCli(['sweep', '--resume', run, '--rounds', '3']);
    await running.until(/starting Postgres/);
    process.kill(running.pid, 'SIGINT');
    const { code, err } = await running.done;
    expect(code).toBe(130);
    expect(err).toContain(`Resume it: pgsweep sweep --resume ${run} --rounds 3`);
    expect(summaryOf(run).run).toMatchObject({ rounds: 1, complete: true });
    await untilNothingIsLeft();
  });

  it('by SIGKILL: the finished rounds are there, and nothing is left running', async () => {
    const running = startCli(['sweep', items, '--out', run, '--rounds', '40']);
    await running.until(/round 1 done/);
    await sleep(700);
    process.kill(running.pid, 'SIGKILL');
    await running.done;
    await untilNothingIsLeft();
    const { code, out } = await cli('report', run, '--json');
    expect(code).toBe(exitCodeOf(run));
    expect((JSON.parse(out) as Summary).run.rounds).toBeGreaterThanOrEqual(1);
  });

  it('by SIGKILL while the data of its server is copied: neither what copies it nor the folder is left', async () => {
    const programs = join(folder, 'slow');
    const servers = join(folder, 'servers');
    for (const made of [programs, servers]) mkdirSync(made);
    chmodSync(servers, 0o777);
    // Shows that it is there, and goes on for longer than anybody waits.
    writeFileSync(join(programs, 'cp'), `#!/bin/sh\necho > ${servers}/copying\nexec sleep 600\n`, {
      mode: 0o755,
    });
    const env = { PATH: `${programs}:${process.env.PATH}`, PGSWEEP_TMP: servers };
    const running = startCli(['sweep', items, '--out', run, '--stack', 'embedded'], { env });
    await expect.poll(() => readdirSync(servers), { timeout: 60_000 }).toContain('copying');
    const copying = descendantsOf(running.pid).filter(({ args }) => args === 'sleep 600');
    expect(copying).toHaveLength(1);
    process.kill(running.pid, 'SIGKILL');
    await running.done;
    await untilNothingIsLeft();
    expect(readdirSync(servers)).toEqual(['copying']);
  });

  it('by SIGKILL of it and of its guard: what they left goes when it is gone on with, by whatever name', async () => {
    const running = startCli(['sweep', items, '--out', run, '--rounds', '40']);
    await running.until(/round 1 done/);
    const seen = descendantsOf(running.pid);
    const pidOf = (args: RegExp): number => seen.find((one) => args.test(one.args))?.pid ?? 0;
    const [guard, postgres] = [pidOf(/reaper\.mjs/), pidOf(/postgres -D/)];
    // A guard that stands still cannot begin before it is killed too.
    process.kill(guard, 'SIGSTOP');
    process.kill(running.pid, 'SIGKILL');
    process.kill(guard, 'SIGKILL');
    await running.done;
    symlinkSync(run, `${run}-link`);
    const resumed = startCli(['sweep', '--resume', basename(`${run}-link`), '--rounds', '2'], { cwd: folder });
    const { code, err } = await resumed.done;
    expect(code, err).toBe(exitCodeOf(run));
    expect(err).toContain(`of the run before: process ${postgres} ended`);
    await untilNothingIsLeft();
  });

  it('by a service that dies under load: an error, and what was finished is kept', async () => {
    const running = startCli(['sweep', items, '--out', run, '--rounds', '40']);
    await running.until('round 1 done');
    let ended = false;
    void running.done.then(() => {
      ended = true;
    });
    // One that is being stopped anyway is not missed: then the next one tells.
    while (!ended) {
      await sleep(1500);
      killService(running.pid);
    }
    const { code, err } = await running.done;
    expect(code).toBe(2);
    expect(err).toMatch(/error: the service of "pool=[14]( \(A\/A\))?" ended (under load )?\(SIGKILL\)|exit code/);
    expect(err).toMatch(/\d finished rounds? (is|are) kept and reported in/);
    const { complete, failed } = summaryOf(run).run;
    expect([complete, failed?.code]).toEqual([false, 'target']);
    expect(readFileSync(join(run, 'report.md'), 'utf8')).toContain(failed?.message.slice(1).split('\n')[0]);
    await untilNothingIsLeft();
  });

  it('by a crash inside Postgres: Postgres is blamed and its log shown, and not the service that lost its connections', async () => {
    const running = startCli(['sweep', items, '--out', run, '--rounds', '40']);
    await running.until('run folder');
    await sleep(1000);
    const checkpointer = descendantsOf(running.pid).find(({ args }) => /^postgres: checkpointer/.test(args));
    process.kill(checkpointer?.pid ?? 0, 'SIGKILL');
    const { code, err } = await running.done;
    expect(code).toBe(3);
    expect(err).toMatch(/error: Postgres ended \(exit code 1\) during the run\. Its log's last lines:\n/);
    expect(err).toMatch(/checkpointer process .* was terminated by signal 9/);
    await untilNothingIsLeft();
  });
});

/** The same service under load by autocannon, in slices that are long enough to be met in one. */
const byAutocannon = (): string =>
  written('autocannon.yaml', {
    'connections: [1, 4]': 'connections: 4\n  autocannon: true',
    'slice: 600ms': 'slice: 2s',
  });

/** The scenario of the items service with other texts in place of some of its own. */
function written(name: string, changes: Readonly<Record<string, string>>): string {
  const file = join(folder, name);
  const places = { 'node items.mjs': `node ${fixtures}/items.mjs`, 'schema.sql': `${fixtures}/schema.sql` };
  const text = readFileSync(join(fixtures, 'items.yaml'), 'utf8');
  const changed = Object.entries({ ...places, ...changes }).reduce((now, [from, to]) => now.replace(from, to), text);
  writeFileSync(file, changed);
  return file;
}

/** How many results of autocannon a round has. */
function ownResultsOf(round: number): number {
  const kept = join(run, 'autocannon');
  return existsSync(kept) ? readdirSync(kept).filter((name) => name.startsWith(`round-${round}-`)).length : 0;
}

/** Of this run alone: others beside it have services of that name, too. */
function killService(bench: number): void {
  const service = descendantsOf(bench).find(({ args }) => /^node \S*\/items\.mjs$/.test(args));
  try {
    if (service !== undefined) process.kill(service.pid, 'SIGKILL');
  } catch {
    // It has ended since it was seen.
  }
}
