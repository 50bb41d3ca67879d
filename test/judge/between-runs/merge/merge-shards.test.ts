import { describe, expect, it } from 'vitest';
import type { Journal } from '../../../../src/journal/journal.ts';
import type { RunRecord } from '../../../../src/journal/records.ts';
import { mergedJournal } from '../../../../src/judge/between-runs/merge/merge-shards.ts';
import { shardsOfOnePlan } from '../../../../src/judge/between-runs/merge/one-plan.ts';
import type { Summary } from '../../../../src/judge/summary.ts';
import { summarize } from '../../../../src/judge/summary.ts';
import type { FixtureJournal, FixtureOptions } from '../../journal-fixture.ts';
import { comparison, small } from '../../small-run.ts';
import { changed, plannedJournal, shardJournals, without } from './shards.ts';

function merged(journals: readonly FixtureJournal[]): Journal {
  const given = journals.map((journal, place) => ({ place: `shard-${place + 1}`, journal }));
  return { ...mergedJournal(shardsOfOnePlan(given)), warnings: [] };
}

function judged(journals: readonly FixtureJournal[]): Summary {
  return summarize(merged(journals));
}

const planted: FixtureOptions = { ...small, rounds: 12, effect: ({ variant }) => (variant === 'b' ? 0.1 : 0) };
const kinds = ({ notes }: Summary): string[] => notes.map(({ kind }) => kind);

describe('shards of one machine, merged', () => {
  const whole = summarize(plannedJournal(planted));
  const both = judged(shardJournals({ ...planted, count: 2, machineOf: () => 'this' }));

  it('agree with the same rounds judged as one run', () => {
    expect(both.run.rounds).toBe(whole.run.rounds);
    expect(both.averages).toEqual(whole.averages);
    expect(both.comparisons.map(({ metric, deltaPercent, verdict }) => [metric, deltaPercent, verdict])).toEqual(
      whole.comparisons.map(({ metric, deltaPercent, verdict }) => [metric, deltaPercent, verdict]),
    );
  });

  it('are looked at once: intervals are narrower than those of a run that looked on its way', () => {
    const [one, other] = [both, whole].map((summary) => comparison(summary, 'requests_per_s').interval ?? [0, 0]);
    expect(one?.[0]).toBeGreaterThan(other?.[0] ?? 0);
    expect(one?.[1]).toBeLessThan(other?.[1] ?? 0);
  });

  it('are one machine, and lack nothing', () => {
    expect(both.machines?.machines).toMatchObject([{ name: 'this', shards: [1, 2], rounds: 12 }]);
    expect(kinds(both)).toEqual([]);
    expect(both.run).toMatchObject({ complete: true, stopReason: 'rounds' });
  });

  it('keep what says that turns hid waits: changes then hold both counts', () => {
    const level = {
      load: { connections: 25 },
      sliceMs: 4000,
      withinPerS: 0.01,
      between: 0.0004,
      leastTurnMs: 2000,
      longestMs: 1000,
    };
    const lengths = { type: 'lengths', round: 1, warmups: [], besideMs: 1000, levels: [level] } as const;
    const [first, ...others] = shardJournals({ ...planted, count: 2 });
    if (first === undefined) throw new Error('no shard');
    const { records } = merged([{ ...first, records: [...first.records, lengths] }, ...others]);
    expect([...records].filter(({ type }) => type === 'lengths')).toEqual([lengths]);
  });

  it('are the same run however they are named', () => {
    const journals = shardJournals({ ...planted, count: 2 });
    const [one, other] = [merged(journals), merged([...journals].reverse())];
    expect(other.run).toEqual(one.run);
    expect([...other.records]).toEqual([...one.records]);
  });
});

describe('shards of several machines', () => {
  /** Shard 2 of 3 is on a machine twice as fast, shard 3 on one a third slower. */
  const speed = (round: number): number => [-0.4, 0, 0.7][round % 3] ?? 0;

  it('are compared within machines, however different their speed is', () => {
    const effect: FixtureOptions['effect'] = ({ variant, round }) => speed(round) + (variant === 'b' ? 0.1 : 0);
    const summary = judged(shardJournals({ ...planted, effect, count: 3 }));
    const { deltaPercent, verdict, interval } = comparison(summary, 'requests_per_s');
    expect(verdict).toBe('higher');
    expect(deltaPercent).toBeGreaterThan(8);
    expect(deltaPercent).toBeLessThan(13);
    expect((interval?.[1] ?? 0) - (interval?.[0] ?? 0)).toBeLessThan(6);
    const [change] = summary.machines?.changes ?? [];
    expect(change?.agreement?.disagree).toBe(false);
    expect(change?.byMachine.map(({ rounds }) => rounds)).toEqual([4, 4, 4]);
    for (const own of change?.byMachine ?? []) expect(own.interval?.[0]).toBeLessThan(own.deltaPercent ?? 0);
  });

  it('that disagree are said to, and judged by their means', () => {
    const effect: FixtureOptions['effect'] = ({ variant, round }) =>
      variant === 'b' ? ([-0.3, 0, 0.3][round % 3] ?? 0) : 0;
    const summary = judged(shardJournals({ ...planted, effect, count: 3 }));
    const found = comparison(summary, 'requests_per_s');
    expect(found.verdict).toBe('noise');
    expect(found.notes).toMatchObject([{ kind: 'machines-disagree', machines: 3 }]);
    // t of two degrees of freedom times the scatter of three means.
    expect(found.interval?.[1]).toBeGreaterThan(50);
    expect(summary.machines?.changes[0]?.agreement?.disagree).toBe(true);
    expect(kinds(summary)).toContain('machines-differ');
  });

  it('that are missing or short are named, and the others judged', () => {
    const [first, second, third] = shardJournals({ ...planted, count: 4 });
    if (first === undefined || second === undefined || third === undefined) throw new Error('no shards');
    const short = without(third, (record) => record.type === 'end' || ('round' in record && record.round > 7));
    const summary = judged([first, second, short]);
    expect(summary.run.rounds).toBe(8);
    expect(summary.notes).toContainEqual({
      kind: 'missing-rounds',
      shards: [
        { shard: 3, rounds: 2, of: 3 },
        { shard: 4, rounds: 0, of: 3 },
      ],
      count: 4,
    });
    expect(comparison(summary, 'requests_per_s').verdict).toBe('higher');
  });

  it('have nothing of a round that was begun anew', () => {
    const [first, ...others] = shardJournals({ ...planted, count: 2 });
    if (first === undefined) throw new Error('no shards');
    const { records } = first;
    const slice = records.find(({ type }) => type === 'slice');
    const resume = { type: 'resume', at: '2026-01-31T10:00:00.000Z', provenance: first.run.provenance } as const;
    if (slice === undefined) throw new Error('no slice');
    const resumed = { ...first, records: [slice, resume, ...records] };
    expect([...merged([resumed, ...others]).records]).toEqual([...merged([first, ...others]).records]);
  });

  it('know rounds that were made elsewhere, when a shard went on there', () => {
    const [first, second] = shardJournals({ ...planted, count: 2 });
    if (first === undefined || second === undefined) throw new Error('no shards');
    const machine = { id: 'id of node-2', name: 'node-2' };
    const resume = { type: 'resume', at: '', provenance: first.run.provenance, machine } as const;
    const middle = first.records.findIndex((record) => record.type === 'round' && record.round === 5) + 1;
    const moved = { ...first, records: first.records.toSpliced(middle, 0, resume) };
    expect(judged([moved, second]).machines?.machines).toMatchObject([
      { name: 'node-1', shards: [1], rounds: 3 },
      { name: 'node-2', shards: [1, 2], rounds: 9 },
    ]);
  });

  it('with a round of another shard are refused', () => {
    const [first, second] = shardJournals({ ...planted, count: 2 });
    if (first === undefined || second === undefined) throw new Error('no shards');
    const odd = { ...first, records: second.records };
    expect(() => [...merged([odd, second]).records]).toThrow('shard-1: round 2 does not belong to shard 1 of 2');
  });
});

describe('runs that do not belong together', () => {
  const [first, second] = shardJournals({ ...planted, count: 2 });
  if (first === undefined || second === undefined) throw new Error('no shards');

  const other: [string, (run: RunRecord) => RunRecord, string][] = [
    ['another seed', (run) => ({ ...run, seed: 2 }), 'seed (647, 2)'],
    [
      'another number of shards',
      (run) => ({ ...run, ...(run.shard && { shard: { ...run.shard, count: 3 } }) }),
      'shards (2, 3)',
    ],
    [
      'another version',
      (run) => ({ ...run, provenance: { ...run.provenance, pgsweepVersion: '0.2.0' } }),
      'pgsweepVersion (0.1.0, 0.2.0)',
    ],
    [
      'another commit',
      (run) => ({ ...run, provenance: { ...run.provenance, gitCommit: null } }),
      'gitCommit (070d3df, nothing)',
    ],
    [
      'other data',
      (run) => ({
        ...run,
        provenance: {
          ...run.provenance,
          dataset: run.provenance.dataset && { ...run.provenance.dataset, fingerprint: 'x' },
        },
      }),
      'the data set.fingerprint (abc123, x)',
    ],
    [
      'another scenario',
      (run) => ({ ...run, scenario: { ...run.scenario, load: { ...run.scenario.load, sliceMs: 1 } } }),
      'load.sliceMs (5000, 1)',
    ],
    [
      'distances that something else made',
      (run) => ({ ...run, provenance: { ...run.provenance, distanceBy: 'netem' } }),
      'distanceBy (nothing, netem)',
    ],
    ['another scenario file', (run) => ({ ...run, scenario: { ...run.scenario, file: '/repo/other.yaml' } }), 'file ('],
  ];

  it.each(other)('are named: %s', (_, change, message) => {
    expect(() => merged([first, changed(second, change)])).toThrow(message);
    expect(() => merged([first, changed(second, change)])).toThrow('shard-1 and shard-2 are not of one plan');
  });

  it('are not those that lie in another place, or on another machine', () => {
    const moved = changed(second, (run) => ({
      ...run,
      scenario: { ...run.scenario, file: '/home/ci/scenarios/pool-size.yaml' },
      provenance: { ...run.provenance, cpuModel: 'Another CPU', kernel: 'Linux 7.0', nodeVersion: '24.0.0' },
    }));
    expect(judged([first, moved]).machines?.machines.map(({ cpuModel }) => cpuModel)).toEqual([
      'Fixture CPU',
      'Another CPU',
    ]);
  });

  it('are those whose secrets differ, as far as one key can tell', () => {
    const secretive = (key: string, digest: string) => (run: RunRecord) => ({
      ...run,
      secrets: { key, digests: { 'target.env.API_KEY': digest } },
    });
    const begun = changed(first, secretive('k1', 'one'));
    expect(() => merged([begun, changed(second, secretive('k1', 'two'))])).toThrow('target.env.API_KEY (key k1)');
    // The key belongs to a user on one machine.
    expect(merged([begun, changed(second, secretive('k2', 'two'))]).run.merged?.machines).toHaveLength(2);
  });

  it('are a shard that was resumed with other code, where rounds were made with it', () => {
    const provenance = { ...first.run.provenance, gitCommit: 'fffffff' };
    const resumedAfter = (round: number): FixtureJournal => {
      const at = second.records.findIndex((record) => record.type === 'round' && record.round === round) + 1;
      return { ...second, records: second.records.toSpliced(at, 0, { type: 'resume', at: '', provenance }) };
    };
    expect(() => merged([first, resumedAfter(4)])).toThrow(
      'shard-2 is not of one plan: when it was resumed, gitCommit (070d3df, fffffff) had changed',
    );
    expect(judged([first, resumedAfter(12)]).run.rounds).toBe(12);
  });

  it('are not those of two copies of a repository, whose files are named from the folder of each', () => {
    const [one, two] = [first, second].map((shard, place) =>
      changed(shard, (run) => ({
        ...run,
        startedIn: `/home/ci/copy-${place}/bench`,
        scenario: {
          ...run.scenario,
          file: '../pgsweep.yaml',
          dataset: { kind: 'dump' as const, dump: `/home/ci/copy-${place}/data.dump` },
        },
      })),
    );
    if (one === undefined || two === undefined) throw new Error('no shards');
    expect(judged([one, two]).run.rounds).toBe(12);
    const elsewhere = changed(two, (run) => ({ ...run, startedIn: '/home/ci/copy-1' }));
    expect(() => merged([one, elsewhere])).toThrow('dataset.dump (');
  });

  /** A run of a branch against main on a machine with its own clone and cache. */
  const againstMain = (home: string, { tree = 'a1', commit = 'c1' }: { tree?: string; commit?: string } = {}) => {
    const snapshot = (side: string): string => `/home/${home}/.cache/pgsweep/against/${side}-of-${home}/tree`;
    const [main, branch] = [snapshot('commit'), snapshot('work')];
    const cwds = [main, branch].map((folder) => `${folder}/api`);
    const work = { commit: 'c2', changed: 1, removed: 0, added: 0, tree, folder: branch };
    const commits = [{ ref: 'a', commit, at: 'tip' as const, folder: main }];
    const taken = { repository: `/home/${home}/repo`, commits, work, schemaFiles: [] };
    return (run: RunRecord): RunRecord => ({
      ...run,
      startedIn: `/home/${home}/repo/api`,
      scenario: {
        ...run.scenario,
        file: 'pgsweep.yaml',
        dataset: { kind: 'sql', files: [`${branch}/api/schema.sql`] },
        variants: run.scenario.variants.map((one, place) => ({ ...one, cwd: cwds[place] ?? '' })),
        against: { refs: ['a'], carry: [`/home/${home}/repo/.env`], own: [], taken },
      },
    });
  };

  it('are not those of a branch against main from two machines, with snapshots of the same commit and work tree', () => {
    const one = changed(first, againstMain('ci-1'));
    expect(judged([one, changed(second, againstMain('ci-2'))]).run.rounds).toBe(12);
    const [edited, older] = [{ tree: 'b2' }, { commit: 'c0' }].map((side) =>
      changed(second, againstMain('ci-2', side)),
    );
    if (edited === undefined || older === undefined) throw new Error('no shards');
    expect(() => merged([one, edited])).toThrow('not of one plan: against.taken.work.tree (a1, b2) differ');
    expect(() => merged([one, older])).toThrow('not of one plan: against.taken.commits.0.commit (c1, c0) differ');
  });

  it('are the same shard twice, whole runs, and merged ones', () => {
    expect(() => merged([first, second, second])).toThrow('shard-2 and shard-3 are both shard 2 of 2');
    expect(() => merged([first, plannedJournal(planted)])).toThrow('shard-2 is no shard of a plan');
    const whole = merged([first, second]);
    expect(() => merged([{ ...whole, records: [...whole.records] }])).toThrow('shard-1 was merged already');
  });
});

it('a shard by itself says that it is one', () => {
  const [first] = shardJournals({ ...planted, count: 2 });
  if (first === undefined) throw new Error('no shards');
  expect(summarize(first).notes).toContainEqual({ kind: 'shard', index: 1, count: 2 });
});
