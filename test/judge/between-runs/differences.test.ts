import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../src/journal/records.ts';
import type { RequestSpec } from '../../../src/journal/scenario-record.ts';
import { differencesOf, otherWork, unknownSecretsOf } from '../../../src/judge/between-runs/differences.ts';
import type { Difference, SessionFacts } from '../../../src/judge/between-runs/types.ts';
import { session } from './sessions.ts';

const made = (name: string, changed?: (run: RunRecord) => RunRecord): SessionFacts =>
  session(name, { rounds: 1, ...(changed && { changed }) });
const plain = made('plain');
const against = (changed: (run: RunRecord) => RunRecord): Difference[] =>
  differencesOf({ base: [plain], head: [made('changed', changed)] });

describe('what differs between two runs', () => {
  it.each<[string, (run: RunRecord) => RunRecord, Difference[]]>([
    ['nothing', (run) => run, []],
    [
      'the machine',
      (run) => ({ ...run, provenance: { ...run.provenance, cpuModel: 'Other CPU', cpuCount: 8 } }),
      [
        { area: 'machine', place: 'cpuModel', values: { base: ['Fixture CPU'], head: ['Other CPU'] } },
        { area: 'machine', place: 'cpuCount', values: { base: ['2'], head: ['8'] } },
      ],
    ],
    [
      'memory by no more than a kernel keeps',
      (run) => ({ ...run, provenance: { ...run.provenance, memoryBytes: run.provenance.memoryBytes - 30_000_000 } }),
      [],
    ],
    [
      'the Postgres, and a setting that only one has',
      (run) => ({
        ...run,
        provenance: {
          ...run.provenance,
          postgresVersion: '17.2',
          postgresSettings: { shared_buffers: '128MB', jit: 'off' },
        },
      }),
      [
        { area: 'stack', place: 'postgresVersion', values: { base: ['18.4'], head: ['17.2'] } },
        { area: 'stack', place: 'postgresSettings.jit', values: { base: [null], head: ['off'] } },
      ],
    ],
    [
      'the data set by its fingerprint alone',
      (run) => {
        const { dataset } = run.provenance;
        return {
          ...run,
          provenance: { ...run.provenance, dataset: dataset && { ...dataset, fingerprint: 'def456', loadMs: 1 } },
        };
      },
      [{ area: 'data set', place: 'dataset.fingerprint', values: { base: ['abc123'], head: ['def456'] } }],
    ],
    [
      'the bench itself, the commit',
      (run) => ({ ...run, provenance: { ...run.provenance, pgsweepVersion: '0.2.0', gitCommit: 'e0c0ffee' } }),
      [
        { area: 'bench', place: 'pgsweepVersion', values: { base: ['0.1.0'], head: ['0.2.0'] } },
        { area: 'code', place: 'gitCommit', values: { base: ['070d3df'], head: ['e0c0ffee'] } },
      ],
    ],
    [
      'what a variant is under the same name',
      (run) => ({
        ...run,
        scenario: {
          ...run.scenario,
          variants: run.scenario.variants.map((one) => (one.name === 'b' ? { ...one, env: { POOL: '5' } } : one)),
        },
      }),
      [{ area: 'variants', place: 'variants.b.env.POOL', values: { base: [null], head: ['5'] } }],
    ],
    [
      'rounds, margin and warm-up',
      (run) => ({
        ...run,
        scenario: { ...run.scenario, marginPercent: 2, load: { ...run.scenario.load, warmupMs: 1 } },
      }),
      [
        { area: 'load', place: 'load.warmupMs', values: { base: ['3000'], head: ['1'] } },
        { area: 'rounds', place: 'marginPercent', values: { base: ['5'], head: ['2'] } },
      ],
    ],
  ])('is named: %s', (_, changed, expected) => {
    expect(against(changed)).toEqual(expected);
  });

  it('is named within a side, too', () => {
    const other = made('other', (run) => ({ ...run, provenance: { ...run.provenance, nodeVersion: '24.0.0' } }));
    expect(differencesOf({ base: [plain, other], head: [made('third')] })).toEqual([
      { area: 'bench', place: 'nodeVersion', values: { base: ['20.20.2', '24.0.0'], head: ['20.20.2'] } },
    ]);
  });
});

describe('secrets', () => {
  const withSecrets =
    (key: string | null, digest: string) =>
    (run: RunRecord): RunRecord => ({ ...run, secrets: { key, digests: { 'target.env.API_KEY': digest } } });

  it('that changed are named by their place, and not shown', () => {
    const sides = { base: [made('x', withSecrets('key', 'aaaa'))], head: [made('y', withSecrets('key', 'bbbb'))] };
    expect(differencesOf(sides)).toEqual([
      { area: 'secrets', place: 'target.env.API_KEY', values: { base: ['secret 1'], head: ['secret 2'] } },
    ]);
    expect(unknownSecretsOf(sides)).toEqual([]);
  });

  it('that are the same do not differ', () => {
    const sides = { base: [made('x', withSecrets('key', 'aaaa'))], head: [made('y', withSecrets('key', 'aaaa'))] };
    expect(differencesOf(sides)).toEqual([]);
  });

  it.each([
    ['other keys', 'one', 'two'],
    ['no key', null, null],
  ])('with %s are not known to be the same', (_, first, second) => {
    const sides = { base: [made('x', withSecrets(first, ''))], head: [made('y', withSecrets(second, ''))] };
    expect(differencesOf(sides)).toEqual([]);
    expect(unknownSecretsOf(sides)).toEqual(['target.env.API_KEY']);
  });
});

describe('the work of a request', () => {
  const request: RequestSpec = { name: 'list', method: 'GET', path: '/items', headers: {}, weight: 1 };
  const requests =
    (...all: RequestSpec[]) =>
    (run: RunRecord): RunRecord => ({
      ...run,
      scenario: { ...run.scenario, load: { ...run.scenario.load, workload: { kind: 'requests', requests: all } } },
    });
  const base = made('base', requests(request));
  const places = (head: (run: RunRecord) => RunRecord): string[] =>
    otherWork({ base: [base], head: [made('head', head)] });

  it('is the same whoever asks', () => {
    expect(places(requests({ ...request, headers: { 'user-agent': 'x' } }))).toEqual([]);
  });

  it.each<[string, RequestSpec[], string[]]>([
    ['path', [{ ...request, path: '/items?limit=1' }], ['load.requests.0.path']],
    ['weight', [{ ...request, weight: 2 }], ['load.requests.0.weight']],
    ['expected status', [{ ...request, expect: [404] }], ['load.requests.0.expect.0']],
  ])('is another with another %s', (_, all, expected) => {
    expect(places(requests(...all))).toEqual(expected);
  });

  it('is another with another kind of workload', () => {
    expect(places((run) => run)).toContain('load.workload');
  });

  it('is the same where two checkouts have their module', () => {
    const module =
      (path: string) =>
      (run: RunRecord): RunRecord => ({
        ...run,
        scenario: { ...run.scenario, load: { ...run.scenario.load, workload: { kind: 'module', module: path } } },
      });
    const sides = { base: [made('m', module('/main/load.mjs'))], head: [made('n', module('/branch/load.mjs'))] };
    expect(otherWork(sides)).toEqual([]);
    expect(differencesOf(sides).map(({ place }) => place)).toEqual(['load.workload.module']);
    const onWindows = { ...sides, head: [made('w', module('C:\\branch\\load.mjs'))] };
    expect(otherWork(onWindows)).toEqual([]);
  });

  it('is another with another number of them', () => {
    const withCount = (count: number) =>
      made(`n${count}`, (run) => ({
        ...run,
        scenario: { ...run.scenario, load: { ...run.scenario.load, bounded: { count, limitMs: 60_000 } } },
      }));
    expect(otherWork({ base: [withCount(1000)], head: [withCount(1000)] })).toEqual([]);
    expect(otherWork({ base: [withCount(1000)], head: [withCount(2000)] })).toEqual(['load.bounded.count']);
  });

  it('is another with other options of a module', () => {
    const withOptions = (items: number) =>
      made(`o${items}`, (run) => ({
        ...run,
        scenario: {
          ...run.scenario,
          load: { ...run.scenario.load, workload: { kind: 'module', module: '/a/load.mjs', options: { items } } },
        },
      }));
    expect(otherWork({ base: [withOptions(1)], head: [withOptions(1)] })).toEqual([]);
    expect(otherWork({ base: [withOptions(1)], head: [withOptions(2)] })).toEqual(['load.options.items']);
  });
});
