import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PgsweepError } from '../../../src/base/errors.ts';
import type { CommandTarget, ResolvedScenario, Variant } from '../../../src/journal/scenario-record.ts';
import { estimate } from '../../../src/measure/plan/estimate.ts';
import { quickScenario } from '../../../src/measure/plan/quick.ts';
import { examineBudget } from '../../../src/measure/run/preflight/budget.ts';
import { type Checked, type CheckOptions, checkRun } from '../../../src/measure/run/preflight/check.ts';
import {
  connectionNeeds,
  examineConnections,
  judgeConnections,
  planConnections,
} from '../../../src/measure/run/preflight/connections.ts';
import type { StackName } from '../../../src/measure/stack/kinds.ts';
import type { StackChoice } from '../../../src/measure/stack/stack.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { testScenario } from '../../fixtures/scenario.ts';
import { withPostgres } from '../stack/postgres.ts';

describe('connections', () => {
  const needs = (text: string) => connectionNeeds(parseScenario(text, 'test.yaml'))[0];
  const rest = 'control: { pool: 10 }\nload: { connections: [1, 25], requests: [{ path: / }] }\n';

  it('are those of all arms at once, by the pool that the scenario names', () => {
    // The control twice.
    expect(connectionNeeds(testScenario())).toMatchObject([{ arms: 5, pools: 10 + 10 + 25 + 35 + 50, used: 130 }]);
    const sweep = 'title: x\ntarget: { command: x }\nsweep: { pool: { env: DB_MAX, levels: [10, 40] } }\n';
    expect(needs(`${sweep}${rest}`)).toMatchObject({ pools: 60, used: 45 });
    const named =
      'title: x\ntarget: { command: x, pool: DB_MAX, env: { DB_MAX: 7 } }\nvariants: { A: {}, B: { env: { DB_MAX: 9 } } }\n';
    expect(needs(`${named}${rest.replace('{ pool: 10 }', 'A')}`)).toMatchObject({ pools: 7 + 7 + 9 });
    expect(needs(`${named.replace(', pool: DB_MAX', '')}${rest.replace('{ pool: 10 }', 'A')}`)).toMatchObject({
      pools: null,
    });
  });

  it('of a job are one for each arm, however often it runs, and no finding where nothing else runs', async () => {
    const job = 'variants: { A: {}, B: {} }\ncontrol: A\nload: { job: { command: "true", repeat: 200 } }\n';
    const beside = `${job.replace(' } }', ' }, connections: 25, requests: [{ path: / }] }')}target: { command: x }\n`;
    expect(needs(job)).toMatchObject({ arms: 3, clients: 3 });
    expect(needs(beside.replace(', repeat: 200', ''))).toMatchObject({ arms: 3, clients: 75 });
    const asked = (): never => {
      throw new Error('no server has to be asked');
    };
    expect(await examineConnections(parseScenario(job, 'test.yaml'), asked, false)).toEqual([]);
  });

  it('are those of all instances: too many are named before anything is started, with the sum', () => {
    const planted = (connections: number, settings = '{ max_connections: 100 }', kind: StackName = 'embedded') =>
      planConnections(
        parseScenario(
          `target: { command: x }
sweep: { pool: { env: DB_MAX, levels: [30] }, instances: { instances: [1, 4] } }
control: { pool: 30, instances: 1 }
load: { connections: [1, ${connections}], requests: [{ path: / }] }
stack: { postgres: { settings: ${settings} } }
`,
          'test.yaml',
        ),
        kind,
      );
    const sum = 'may open 180 connections (4 instances x 30 = 120 in "pool=30, instances=4")';
    expect(() => planted(100)).toThrow(
      `the pools of 3 arms on one Postgres ${sum}, 160 of them under the heaviest load, and max_connections = 100 leaves 77`,
    );
    expect(planted(10)).toMatchObject([
      {
        state: 'warning',
        found: expect.stringContaining(sum),
        advice: expect.stringMatching(/max_connections: 203 .* or use smaller pools or fewer instances/),
      },
    ]);
    expect(planted(100, '{}')).toMatchObject([{ state: 'ok', found: expect.stringContaining('= 500 leaves 477') }]);
    // Of somebody else's server nothing is known yet.
    expect(planted(100, '{}', 'external')).toEqual([]);
  });

  it('that certainly are more than max_connections are an error, and those that may be a warning', () => {
    const [own] = connectionNeeds(testScenario());
    if (own === undefined) throw new Error('no server');
    const judge = (most: number, needs = own, isOurs = true) => judgeConnections(needs, { most, taken: 5 }, isOurs);
    expect(judge(500).state).toBe('ok');
    expect(() => judge(100)).toThrow(
      'the pools of 5 arms on one Postgres may open 130 connections, 130 of them under the heaviest load, and max_connections = 100 leaves 75',
    );
    expect(judge(100, { ...own, used: 60 })).toMatchObject({
      state: 'warning',
      advice: expect.stringContaining('max_connections: 155'),
    });
    expect(judge(100, { ...own, used: 60 }, false).advice).toMatch(/^Raise max_connections of that server to 155/);
    // With no connection for each arm, no pool is small enough.
    const hintAt = (most: number) => {
      try {
        return judge(most).advice;
      } catch (error) {
        return error instanceof PgsweepError ? error.hint : error;
      }
    };
    expect(hintAt(30)).toMatch(/ or use smaller pools: all arms are alive at once\.$/);
    expect(hintAt(29)).toBe('Set stack: { postgres: { settings: { max_connections: 155 } } }.');
    expect(judge(500, { ...own, pools: null, used: null })).toMatchObject({
      state: 'ok',
      found: expect.stringContaining('target.pool'),
    });
  });

  it("of a variant's own limit are allowed there: its value wins over the stack's", () => {
    const limits = (own: number) =>
      planConnections(
        parseScenario(
          `target: { command: x, pool: DB_MAX, env: { DB_MAX: 25 } }
variants: { A: {}, B: { settings: { Max_Connections: ${own} } } }
control: A
load: { connections: 10, requests: [{ path: / }] }
`,
          'test.yaml',
        ),
        'embedded',
      );
    expect(limits(40).find(({ state }) => state === 'warning')?.advice).toBe(
      'Raise max_connections of variant "B" to 48, or use smaller pools.',
    );
    expect(() => limits(20)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/ leaves none \(3 are taken or reserved, pgsweep needs 20\)$/),
        hint: 'Raise max_connections of variant "B" to 48.',
      }),
    );
  });

  it('are those of all pools that services were seen to have: one for each worker, or thread', () => {
    const sweep = parseScenario(
      'target: { command: x }\nsweep: { pool: { env: DB_MAX, levels: [5, 30] } }\ncontrol: { pool: 5 }\nload: { connections: 25, requests: [{ path: / }] }\n',
      'test.yaml',
    );
    const seen = (sessions: number, processes: number | null) =>
      connectionNeeds(sweep, false, [{ variant: 'pool=5', sessions, processes }])[0];
    // The control twice, and a variant that was not tried.
    expect(seen(13, 4)).toMatchObject({ pools: 20 + 20 + 120, used: 20 + 20 + 25 });
    // Threads share a process, and hold more than one pool has.
    expect(seen(20, 1)).toMatchObject({ pools: 160 });
    expect(seen(20, null)).toMatchObject({ pools: 160 });
    expect(seen(4, 1)).toMatchObject({ pools: 40 });
    const needs = seen(13, 4);
    if (needs === undefined) throw new Error('no server');
    expect(judgeConnections(needs, { most: 150, taken: 3 }, true)).toMatchObject({
      state: 'warning',
      found: expect.stringContaining(' (4 pools, as was seen, x 30 = 120 in "pool=30")'),
      advice: expect.stringContaining('smaller pools or fewer processes'),
    });
    expect(() => judgeConnections(needs, { most: 80, taken: 3 }, true)).toThrow('65 of them under the heaviest load');
  });

  it('are a problem before a run, also where the size of a pool is known only from a try', () => {
    const unknown = parseScenario(
      'target: { command: x }\nvariants: { A: {}, B: {} }\ncontrol: A\nload: { connections: 25, requests: [{ path: / }] }\n',
      'test.yaml',
    );
    const [needs] = connectionNeeds(unknown, false, [{ variant: 'A', sessions: 25, processes: 1 }]);
    if (needs === undefined) throw new Error('no server');
    expect(needs).toMatchObject({ pools: 75, used: 75 });
    expect(() => judgeConnections(needs, { most: 90, taken: 3 }, false)).toThrow(/may open 75 connections/);
    // One that was seen to hold none tells nothing.
    expect(connectionNeeds(unknown, false, [{ variant: 'A', sessions: 0, processes: 0 }])[0]).toMatchObject({
      pools: null,
    });
  });

  it('of one variant that nobody has given a pool are told by its name', () => {
    const text = `
target: { command: node server.mjs, pool: POOL_MAX }
variants:
  Pool 10: { env: { POOL_MAX: 10 } }
  Without the index: { dropIndex: items_owner }
control: Pool 10
load: { connections: [10], requests: [{ path: / }] }
`;
    expect(planConnections(parseScenario(text, 'test.yaml'), 'embedded')).toMatchObject([
      {
        state: 'ok',
        found: expect.stringContaining('give POOL_MAX a value in Without the index, or for all variants in target.env'),
      },
    ]);
  });
});

describe('the budget', () => {
  const judge = (rounds: Partial<ResolvedScenario['rounds']>) => {
    const scenario = testScenario();
    const changed = { ...scenario, rounds: { ...scenario.rounds, ...rounds } };
    return examineBudget(changed, estimate(changed));
  };
  it('that is enough for no verdict is warned of', () => {
    expect(judge({}).state).toBe('ok');
    expect(judge({ budgetMs: 250_000 })).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('verdicts need 4 rounds'),
    });
    expect(judge({ budgetMs: 20_000 }).found).toMatch(/^one round alone takes about .* of a budget of 20 s$/);
    const quick = quickScenario(testScenario());
    const slow = { startMs: 30_000, cpuMs: 30_000, stopMs: 500, cores: 2 };
    expect(examineBudget(quick, estimate(quick), true).state).toBe('ok');
    expect(examineBudget(quick, estimate(quick, 'embedded', slow), true)).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(
        /^this quick run takes about .* instead of 1 min 30 s: 1 min 16 s to start and stop 5 arms$/,
      ),
    });
    // Until there is an answer, the added time is the run's.
    expect(judge({ budgetMs: 250_000, settleWithinMs: 900_000 })).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/of a budget of 4 min 10 s, up to 15 min while that should settle what is open$/),
    });
    expect(judge({ budgetMs: 100_000, settleWithinMs: 200_000 })).toMatchObject({
      state: 'warning',
      advice: expect.stringMatching(/^Enough would be --settle-within \d+m/),
    });
    // As somebody asked for.
    expect(judge({ min: 1, max: 1, budgetMs: Number.MAX_SAFE_INTEGER }).state).toBe('ok');
  });
});

describe('the look before a run', () => {
  const server = withPostgres();
  const own: StackChoice = { kind: 'embedded' };
  const shared = (): StackChoice => ({ kind: 'external', postgresUrl: server.postgres.adminUrl() });
  const check = (
    scenario: ResolvedScenario,
    stackChoice = shared(),
    out = join(tmpdir(), 'pgsweep-none', 'run'),
    more: Partial<CheckOptions> = {},
  ): Promise<Checked> =>
    checkRun({
      scenario,
      stackChoice,
      out,
      watchMs: 1,
      emit: () => {},
      ...more,
      signal: new AbortController().signal,
    });
  const inDatabase = `command: node ${resolve('test/fixtures/services/awkward.mjs')}`;
  // What is said of a service hangs on no database, and copies of one take longer than the rest.
  const awkward = (load: string, target = `${inDatabase}, database: none`) =>
    parseScenario(
      `title: x\ntarget: { ${target} }\nvariants: { A: {}, B: {} }\ncontrol: A\nload: { ${load.startsWith('users') ? '' : 'connections: 1, '}${load} }\n`,
      'test.yaml',
    );
  const found = ({ findings }: Checked, name: string): string[] =>
    findings.filter((one) => one.name === name).map((one) => one.found);

  it('measures what it takes to start an arm, and the budget goes by that', async () => {
    // As long as it takes, whatever else runs: so much CPU of a child that has ended before the service is ready.
    const build = 'node -e "while (process.cpuUsage().user < 5e5) for (let i = 0; i < 1e6; i++);"';
    const slow = (startMs: number) =>
      parseScenario(
        `title: x
target: { command: '${build}; sleep ${startMs / 1000}; exec node ${resolve('test/fixtures/services/awkward.mjs')}' }
variants: { A: {}, B: {} }
control: A
load: { connections: 1, slice: 2s, requests: [{ path: /fine }] }
rounds: { min: 4, max: 4, budget: 1h }
`,
        'test.yaml',
      );
    const checked = await check(slow(5000));
    const { costs = null } = checked.plan?.known ?? {};
    expect(costs?.startMs).toBeGreaterThan(5000);
    expect(costs?.cpuMs).toBeGreaterThan(490);
    // Of the sleep nothing is CPU.
    expect(costs?.cpuMs).toBeLessThan(Number(costs?.startMs) - 4000);
    const plan = estimate(slow(5000), 'external', costs);
    expect(plan.roundMs).toBeGreaterThan(5000);
    const [budget] = found(checked, 'budget');
    expect(budget).toBe(examineBudget(slow(5000), plan).found);
  });

  it('tells of a service that is well, and leaves nothing behind', async () => {
    // Other tests use the shared folder for temporary files at the same time.
    const temporary = mkdtempSync(join(tmpdir(), 'pgsweep-own-'));
    // Postgres may run as another user.
    chmodSync(temporary, 0o755);
    vi.stubEnv('TMPDIR', temporary);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(temporary, { recursive: true });
    });
    const checked = await check(
      awkward(
        'requests: [{ path: /fine }, { name: flaky, path: /flaky, weight: 5 }, { path: /no, expect: [404] }]',
        inDatabase,
      ),
      own,
    );
    expect(checked.error).toBeNull();
    expect(found(checked, 'requests')).toEqual(['GET /fine 200; "flaky" (GET /flaky) 200; GET /no 404']);
    expect(found(checked, 'service')[0]).toMatch(/^"A" is ready .* after its start$/);
    expect(found(checked, 'connections')[0]).toContain('target.pool');
    expect(readdirSync(temporary).filter((name) => name.startsWith('pgsweep-check-'))).toEqual([]);
  });

  it.each([
    [
      'a wrong path',
      'requests: [{ path: /fine }, { name: read, path: /nope }]',
      'the request "read" (GET /nope) was answered 404 where 2xx is expected (3 were tried): no route /nope [31m',
    ],
    [
      'a wrong status',
      'requests: [{ path: /fine, expect: [201, 204] }]',
      'the request GET /fine was answered 200 where 201 or 204 is expected (3 were tried): ok',
    ],
    [
      'a request that may not fail once',
      'maxFailedRate: 0%, requests: [{ path: /flaky }]',
      'the request GET /flaky was answered 500 where 2xx is expected: now and then',
    ],
    ['a service that dies of it', 'requests: [{ path: /dies }]', "The service's last lines:\na bug in the service"],
    ['no answer', 'timeout: 1s, requests: [{ path: /silent }]', 'the request GET /silent had no answer within 4 s'],
    [
      'no answer, ever, though load.timeout allows for long ones',
      'timeout: 5s, requests: [{ path: /silent }]',
      'the request GET /silent had no answer within 5 s',
    ],
  ])('finds %s, with the answer', async (_, load, message) => {
    const { error, findings } = await check(awkward(load));
    expect(error).toMatchObject({ code: 'target', exitCode: 2 });
    expect(error?.message).toContain(message);
    expect(findings.at(-1)).toMatchObject({ name: 'target', state: 'problem', found: error?.message });
  });

  it('takes the first step of a script by what that step expects, where none may fail', async () => {
    const { error } = await check(awkward('users: 1, maxFailedRate: 0%, script: [{ path: /nope, expect: [404] }]'));
    expect(error).toBeNull();
  });

  it('only warns of an answer that takes long', async () => {
    const { error, findings } = await check(awkward('requests: [{ path: /slow }, { path: /fine }]'));
    expect(error).toBeNull();
    expect(findings).toContainEqual(
      expect.objectContaining({
        state: 'warning',
        found: expect.stringMatching(/^GET \/slow was answered after [4-9]\.?\d* s$/),
      }),
    );
  });

  it.each([
    [
      'a redirect',
      'requests: [{ path: /private }]',
      'GET /private was answered 302, a redirect to /login?to=/private, where 2xx is expected',
      /^Redirects are not followed: .* log in first/,
    ],
    ['no login', 'requests: [{ path: /expired }]', 'was answered 401', /^Have requests log in \(target\.login/],
    [
      'an answer without what a script captures',
      'users: 1, script: [{ path: /fine, capture: { id: json $.id } }]',
      '"id" could not be captured: the body of the answer is no JSON',
      /^Correct the expectation/,
    ],
    [
      'errors in an answer of 200',
      'requests: [{ path: /errors, expect: { json: { $.errors: absent } } }]',
      'GET /errors was answered 200, and $.errors is [{"message":"no such post"}]: expected absent',
      /^Correct the expectation/,
    ],
    ['an unexpected status', 'requests: [{ path: /nope }]', 'was answered 404', /expect: \[404\]/],
  ])('gives advice that fits %s', async (_, load, message, advice) => {
    const { error } = await check(awkward(load));
    expect(error?.message).toContain(message);
    expect(error?.hint).toMatch(advice);
    if (!advice.source.includes('expect')) expect(error?.hint).not.toContain('expect: [200]');
  });

  it('finds a run folder that cannot be made, or holds a run, and warns of one that everybody can write to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-out-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const fine = awkward('requests: [{ path: /fine }]');
    writeFileSync(join(folder, 'file'), '');
    const inFile = await check(fine, shared(), join(folder, 'file', 'run'));
    expect(inFile.error).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(inFile.findings.at(-1)).toMatchObject({
      state: 'problem',
      found: expect.stringContaining('cannot be made'),
    });
    writeFileSync(join(folder, 'journal.jsonl'), '{}\n');
    expect((await check(fine, shared(), folder)).error?.message).toContain('already holds a run');
    rmSync(join(folder, 'journal.jsonl'));
    chmodSync(folder, 0o777);
    const open = await check(fine, shared(), folder);
    expect(open.error).toBeNull();
    expect(open.findings).toContainEqual(
      expect.objectContaining({ name: 'run folder', state: 'warning', found: expect.stringContaining('everybody') }),
    );
    expect(readdirSync(folder)).toEqual(['file']);
    // Below it others could put another folder in its place.
    expect((await check(fine, shared(), join(folder, 'runs', 'mine'))).findings).toContainEqual(
      expect.objectContaining({
        state: 'warning',
        found: expect.stringContaining(`can write to ${folder}, and so replace`),
      }),
    );
    chmodSync(folder, 0o1777);
    expect((await check(fine, shared(), join(folder, 'runs', 'mine'))).findings).toContainEqual(
      expect.objectContaining({ name: 'run folder', state: 'ok' }),
    );
  });

  it('finds a wrong command, of another variant too', async () => {
    const scenario = awkward('requests: [{ path: /fine }]');
    const variants = scenario.variants.map((one) =>
      one.name === 'B' ? { ...one, command: 'echo gone; exit 3' } : one,
    );
    const { error } = await check({ ...scenario, variants });
    expect(error?.message).toMatch(
      /^the service of "B" ended \(exit code 3\) before it was ready\. Its last lines:\ngone/,
    );
  });

  it('tries every variant where that is wanted, says so beforehand, and names each that is broken', async () => {
    const scenario = awkward('requests: [{ path: /fine }]');
    const broken = ['B', 'C', 'D'].map((name) => ({
      ...(scenario.variants[1] as Variant),
      name,
      env: name === 'C' ? {} : { BREAKS: '/fine' },
    }));
    const variants = [...scenario.variants.slice(0, 1), ...broken];
    const said: string[] = [];
    const every = await check({ ...scenario, variants }, shared(), undefined, {
      everyVariant: true,
      emit: (event) => event.kind === 'preparing' && said.push(event.message),
    });
    expect(said.join()).toContain('trying 4 variants one after the other, seconds each');
    expect(found(every, 'service').map((text) => text.replace(/ready .*/, 'ready'))).toEqual([
      '"A" is ready',
      'two of "A" run at once',
      '"C" is ready',
    ]);
    expect(every.findings.filter(({ state, name }) => state === 'problem' && name === 'target')).toMatchObject([
      { found: expect.stringMatching(/^in "B" the request GET \/fine was answered 500/) },
      { found: expect.stringMatching(/^in "D" the request GET \/fine was answered 500/) },
    ]);
    expect(every.error).toMatchObject({ code: 'target', exitCode: 2 });
    // A sweep, and --check-control, try the control and what has another service.
    expect((await check({ ...scenario, variants })).error).toBeNull();
  });

  it('finds a service that does not run beside another of its kind, where every variant is tried', async () => {
    const socket = `"\\0pgsweep-beside-${randomUUID()}"`;
    const held = `data:text/javascript,import net from "node:net"; net.createServer().listen(${socket})`;
    const command = `node --import '${held}' ${resolve('test/fixtures/services/awkward.mjs')}`;
    const scenario = awkward('requests: [{ path: /fine }]');
    const alone = { ...scenario, target: { ...(scenario.target as CommandTarget), command } };
    expect((await check(alone)).error).toBeNull();
    const { error } = await check(alone, shared(), undefined, { everyVariant: true });
    expect(error?.message).toMatch(/^started beside another of it, the service of "A" ended \(exit code 1\)/);
    expect(error?.hint).toContain('Several arms run at once');
    // One that ends the one before it, as PM2 does in a shared PM2_HOME.
    const file = join(mkdtempSync(join(tmpdir(), 'pgsweep-beside-')), 'pid');
    onTestFinished(() => rmSync(dirname(file), { recursive: true }));
    const ends = `[ -f ${file} ] && kill -9 $(cat ${file}); echo $$ > ${file}; exec ${alone.target.command.replace(/ --import '.*'/, '')}`;
    const taken = { ...alone, variants: alone.variants.slice(0, 1), target: { ...alone.target, command: ends } };
    expect((await check(taken, shared(), undefined, { everyVariant: true })).error).toMatchObject({
      message: 'started beside another of it, the service of "A" does not answer any more',
      hint: expect.stringContaining('PM2_HOME'),
    });
  });

  it('names a service that has to be killed', async () => {
    const command = `exec node ${resolve('test/fixtures/services/awkward.mjs')}`;
    const target = `command: ${command}, env: { DEAF: 1 }, stopTimeout: 100ms`;
    const { error, findings } = await check(awkward('requests: [{ path: /fine }]', target));
    expect(error).toBeNull();
    expect(findings.at(-1)).toMatchObject({
      name: 'service',
      state: 'warning',
      found: '"A" did not end on SIGTERM: killed after 100 ms',
    });
  });

  it('sends the requests of a workload and the first document of a bulk load to the document service', async () => {
    const documents = (load: string): ResolvedScenario =>
      parseScenario(
        `title: x\ntarget: { service: documents }\n${load.includes('bulk') ? '' : 'dataset: { template: partial-grand-bend, documents: 500 }\n'}variants: { A: {}, B: { settings: { work_mem: 8MB } } }\ncontrol: A\nload: { ${load} }\n`,
        'test.yaml',
      );
    const checked = await check(documents('connections: 2, workload: upsert-schools'), own);
    expect(found(checked, 'requests')).toEqual([
      '"insert school" (POST /ed-fi/schools) 201; "update school" (POST /ed-fi/schools) 200',
    ]);
    expect(found(checked, 'changes')).toEqual(['those of 1 variant can be made']);
    const bulk = await check(documents('bulk: { template: partial-grand-bend }, reads: [get-documents]'));
    expect(bulk.error).toBeNull();
    expect(found(bulk, 'requests')[0]).toMatch(/^"document" \(POST \/ed-fi\/\w+\) 201$/);
  });

  it('asks a service that already runs whether it is ready, and nothing else', async () => {
    const seen: string[] = [];
    let status = 200;
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.writeHead(request.url === '/ready' ? status : 404).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const running = (more = '') => awkward('requests: [{ method: DELETE, path: /items/1 }]', `url: '${url}'${more}`);
    expect((await check(running())).error).toBeNull();
    expect((await check(running(', ready: /ready'))).error).toBeNull();
    expect(seen).toEqual(['GET /', 'GET /ready']);
    status = 503;
    const { error } = await check(running(', ready: /ready'));
    expect(error?.message).toBe(`the service at ${url} is not ready: GET /ready answered 503`);
  });
});
