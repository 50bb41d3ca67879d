import { expect, test } from 'vitest';
import type { Disturbance } from '../../../src/judge/read/rounds/disturbance.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { causeWords } from '../../../src/report/words/cause-words.ts';
import { headlineOf } from '../../../src/report/words/headline.ts';
import { type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';

const pools: FixtureOptions = {
  variants: ['pool=10', 'pool=25'],
  control: 'pool=10',
  connections: [1, 25],
  rounds: 8,
  noise: 0.005,
};
const full = { event_loop_active_seconds_per_s: 0.97, service_busiest_thread_cores: 0.9, service_cpu_cores: 0.95 };
const headline = (options: FixtureOptions): string[] => headlineOf(summarize(fixtureJournal({ ...pools, ...options })));

test('the cause stands beside the answer of a load level where Why knows it', () => {
  const [one, many] = headline({
    probes: () => ({ all: { ...full, event_loop_active_seconds_per_s: 0.9, busy_connections_p95: 1 } }),
  });
  expect(one).toMatch(/same.*; with one client only one connection of a pool is in use\.$/);
  expect(many).toMatch(/same.*; pool size hardly matters: the service's thread is full \(90 % busy\)\.$/);
});

test('a machine that is full says how much of it other programs used', () => {
  const probes = () => ({ all: { machine_cpu_share: 0.98, service_cpu_cores: 0.5 } });
  const summary = summarize(fixtureJournal({ ...pools, probes }));
  const wordsWith = (foreignCpuPercent: Disturbance['foreignCpuPercent']): string => {
    const disturbance = { ...summary.session.disturbance, foreignCpuPercent };
    return causeWords({ ...summary, session: { ...summary.session, disturbance } }, { connections: 25 });
  };
  expect(wordsWith({ mean: 74.2, most: 79 })).toMatch(
    /: the machine's CPU is full \(98 % busy, 74 % by other programs\)$/,
  );
  for (const few of [null, { mean: 4, most: 9 }])
    expect(wordsWith(few)).toMatch(/: the machine's CPU is full \(98 % busy\)$/);
});

test('a CPU limit that is used up is the cause, and not the CPUs that it leaves idle or others fill', () => {
  const probes = () => ({ all: { machine_cpu_share: 0.98, service_cpu_cores: 0.5 } });
  const [, many] = headline({ probes, conditions: () => ({ throttledShare: 0.69 }) });
  expect(many).toMatch(/same.*; pool size hardly matters: pgsweep's CPU limit is used up\.$/);
});

test('no cause is named where a variant differs, where another thing varies, and where not all variants have it', () => {
  const probes: FixtureOptions['probes'] = () => ({ all: full });
  const differs = headline({ probes, effect: ({ variant }) => (variant === 'pool=25' ? 0.2 : 0) });
  expect(differs.join()).not.toMatch(/full|matter|in use/);
  expect(headline({ probes: ({ variant }) => ({ all: variant === 'pool=25' ? {} : full }) })[1]).not.toMatch(
    /full|matter|in use/,
  );
  const [one, many] = headline({ probes, variants: ['a', 'b'], control: 'a' });
  expect(one).toMatch(/; the service's thread is full \(97 % busy\) in every variant\.$/);
  expect(many).toMatch(/; the service's thread is full \(97 % busy\) in every variant\.$/);
  // A request that uses several connections at once.
  const parallel = headline({ probes: () => ({ all: { busy_connections_p95: 3, busy_connections_mean: 2 } }) });
  expect(parallel[0]).not.toMatch(/in use/);
  // What nobody sampled is not said.
  expect(headline({})[0]).not.toMatch(/in use/);
});
