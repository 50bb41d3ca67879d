import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ResolvedScenario } from '../../../src/journal/scenario-record.ts';
import type { RunEvent } from '../../../src/measure/run/events.ts';
import { type Checked, checkRun } from '../../../src/measure/run/preflight/check.ts';
import { connectionNeeds, judgeConnections, planConnections } from '../../../src/measure/run/preflight/connections.ts';
import { createRunFolder } from '../../../src/measure/run/run-folder.ts';
import { blameServer } from '../../../src/measure/run/servers/blame-server.ts';
import { runSession } from '../../../src/measure/run/session.ts';
import { query } from '../../../src/measure/stack/common/query.ts';
import type { StackChoice } from '../../../src/measure/stack/stack.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { withPostgres } from '../stack/postgres.ts';

const scenarioOf = (connections: number, more = '{ A: {}, B: {} }'): ResolvedScenario =>
  parseScenario(
    `target: { command: 'node ${resolve('test/fixtures/services/awkward.mjs')}' }
variants: ${more}
control: A
load: { connections: ${connections}, requests: [{ path: /fine }] }
`,
    'test.yaml',
  );

describe('pools of a size that is not known', () => {
  const [needs] = connectionNeeds(scenarioOf(20));
  const judge = (most: number) => judgeConnections(needs as NonNullable<typeof needs>, { most, taken: 3 }, true);

  it('are a problem where there is no room for one connection of each arm', () => {
    expect(() => judge(5)).toThrow(
      'how many the service opens is not known; max_connections = 5 leaves none (3 are taken or reserved, pgsweep needs 20) for 3 arms, and each needs at least one',
    );
    expect(() => judge(25)).toThrow(/leaves 2 for 3 arms/);
    // No name of a variable makes room.
    const hint = 'Set stack: { postgres: { settings: { max_connections: 83 } } }.';
    expect(() => judge(25)).toThrow(expect.objectContaining({ hint }));
  });

  it('may do with less room than the load has requests under way: a warning, from one connection of each arm on', () => {
    for (const most of [26, 82]) expect(judge(most).state).toBe('warning');
    expect(judge(30)).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('leaves 7 for 3 arms, and under the heaviest load 60 requests are under way'),
      advice: expect.stringMatching(/max_connections: 83 .* target\.pool/),
    });
    expect(judge(83).state).toBe('ok');
  });

  describe("of a variant's own server that has no room", () => {
    const scenario = scenarioOf(1, '{ A: {}, B: { settings: { max_connections: 5 } } }');
    const stackChoice: StackChoice = { kind: 'embedded' };
    const message = expect.stringMatching(/max_connections = 5 leaves none .* for each arm/);
    // The setting of the stack would change nothing.
    const noRoom = { code: 'scenario', exitCode: 2, message, hint: 'Raise max_connections of variant "B" to 24.' };
    const { signal } = new AbortController();
    /** The events, of which the first says which stack it is. */
    const started = (events: readonly RunEvent[]): RunEvent[] =>
      events.filter((event) => event.kind !== 'preparing' || !event.message.startsWith('stack: '));

    it('are a problem of plan --check before anything is started', async () => {
      expect(() => planConnections(scenario, 'embedded')).toThrow(expect.objectContaining(noRoom));
      const events: RunEvent[] = [];
      const emit = (event: RunEvent): void => void events.push(event);
      const out = join(tmpdir(), 'pgsweep-none');
      const { error, findings } = await checkRun({ scenario, stackChoice, out, watchMs: 1, emit, signal });
      expect(error).toMatchObject(noRoom);
      expect(findings.at(-1)).toMatchObject({ state: 'problem', found: message });
      expect([events.length, started(events)]).toEqual([1, []]);
    });

    it('end a sweep before anything is started', async () => {
      const folder = createRunFolder(mkdtempSync(join(tmpdir(), 'pgsweep-full-')));
      onTestFinished(() => rmSync(folder.path, { recursive: true }));
      const events: RunEvent[] = [];
      const sweep = runSession({
        scenario,
        stackChoice,
        seed: 1,
        quick: false,
        folder,
        intervalMs: 5000,
        resume: null,
        decideStop: () => ({ stop: true, undecided: null }),
        emit: (event) => events.push(event),
        signal,
      });
      await expect(sweep).rejects.toMatchObject(noRoom);
      expect([events.length, started(events)]).toEqual([1, []]);
      expect(existsSync(folder.journal)).toBe(false);
    });
  });
});

describe('a server that is full', () => {
  const server = withPostgres({ settings: { max_connections: 30 } });
  /** Takes this many connections, or all that are left; returns the answer to one more, in the latter case. */
  const take = async (most = Number.POSITIVE_INFINITY): Promise<unknown> => {
    const taken: pg.Client[] = [];
    onTestFinished(async () => void (await Promise.all(taken.map((client) => client.end()))));
    while (taken.length < most) {
      const client = new pg.Client({ connectionString: server.postgres.adminUrl() });
      client.on('error', () => {});
      const refused: unknown = await client.connect().then(
        () => null,
        (cause: unknown) => cause,
      );
      if (refused !== null) return refused;
      taken.push(client);
    }
    return null;
  };
  const check = (scenario = scenarioOf(1)): Promise<Checked> => {
    const stackChoice: StackChoice = { kind: 'external', postgresUrl: server.postgres.adminUrl() };
    const { signal } = new AbortController();
    return checkRun({
      scenario,
      stackChoice,
      out: join(tmpdir(), 'pgsweep-none'),
      watchMs: 1,
      emit: () => {},
      signal,
    });
  };

  it('is found before the service is tried, where others have its connections', async () => {
    await take(5);
    const { error, findings } = await check();
    expect(error).toMatchObject({ code: 'scenario', exitCode: 2 });
    expect(findings.at(-1)).toMatchObject({ state: 'problem', found: expect.stringContaining('leaves 2 for 3 arms') });
  });

  it('is warned of where the pools may fit, and the service is tried', async () => {
    const { error, findings } = await check(scenarioOf(20));
    expect(error).toBeNull();
    const [connections] = findings.filter(({ name }) => name === 'connections');
    expect(connections).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('leaves 7 for 3 arms, and under the heaviest load 60 requests are under way'),
    });
  });

  it('ends the run as what it is, and not as a bug, wherever the bench meets it', async () => {
    const full = await take();
    const { error } = await check();
    expect(error).toMatchObject({
      code: 'stack',
      exitCode: 3,
      message: expect.stringMatching(/too many clients already/),
      hint: expect.stringMatching(/^Raise max_connections/),
    });
    const servers = [{ postgres: server.postgres }];
    const { signal } = new AbortController();
    expect(await blameServer(full, servers, signal)).toMatchObject({
      code: 'stack',
      message: expect.stringMatching(/^Postgres has no connection left: .*too many clients/),
    });
    // What failed otherwise is not taken for a server that is gone.
    const other = new TypeError('x is not a function');
    expect(await blameServer(other, servers, signal)).toBe(other);
  });

  it('and a limit of its files are both placed', async () => {
    const url = server.postgres.adminUrl();
    const sql =
      "SET temp_file_limit = '64kB'; SET work_mem = '64kB'; SELECT * FROM generate_series(1, 100000) n ORDER BY -n";
    const limited: unknown = await query(url, sql).catch((cause: unknown) => cause);
    expect(await blameServer(limited, [], new AbortController().signal)).toMatchObject({
      code: 'stack',
      message: expect.stringMatching(/^a limit in the configuration of Postgres was exceeded: temporary file size/),
    });
  });
});
