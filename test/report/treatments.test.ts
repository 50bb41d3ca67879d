import { expect, it } from 'vitest';
import type { JobRecord } from '../../src/journal/job-spec.ts';
import type { ArmRecord } from '../../src/journal/records.ts';
import type { LeftOut, ServiceRole } from '../../src/journal/run/provenance-record.ts';
import type { Target } from '../../src/journal/scenario-record.ts';
import { summarize } from '../../src/judge/summary.ts';
import { provenanceFacts } from '../../src/report/words/provenance.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';
import { small } from '../judge/small-run.ts';

const arm = (variant: string, more: Partial<ArmRecord> = {}): ArmRecord => ({
  type: 'arm',
  round: 1,
  arm: variant,
  variant,
  repeat: false,
  copyMs: 100,
  startMs: 500,
  ...more,
});

/** The facts of a run whose arms came to life like this. */
function factsOf(...arms: ArmRecord[]): Map<string, string> {
  const journal = fixtureJournal(small);
  return new Map(provenanceFacts(summarize({ ...journal, records: [...arms, ...journal.records] })));
}

it('the provenance tells what was seen changed in each variant', () => {
  const treatment = [
    { kind: 'dropIndex', name: 'ix', found: 'ix dropped' },
    { kind: 'setting', name: 'shared_buffers', found: 'shared_buffers = 1GB (own server)' },
  ] as const;
  const facts = factsOf(arm('a'), arm('b', { treatment }));
  expect(facts.get('changed in b')).toBe('ix dropped, shared_buffers = 1GB (own server)');
  expect(facts.has('changed in a')).toBe(false);
  expect(facts.has('servers')).toBe(false);
});

it('and what of its data a job found in shared_buffers', () => {
  const journal = fixtureJournal(small);
  const eachRound = (buffers: JobRecord['buffers']) => {
    const job = { runs: 1, buffers };
    const records = journal.records.map((record) => (record.type === 'slice' ? { ...record, job } : record));
    return new Map(provenanceFacts(summarize({ ...journal, records: [arm('a'), ...records] }))).get('each round');
  };
  expect(eachRound('cold')).toMatch(/; before the job, shared_buffers are emptied$/);
  expect(eachRound('warm')).toMatch(/; before the job, tables and indexes are read into shared_buffers$/);
  expect(factsOf(arm('a')).get('each round')).not.toContain('job');
});

it('and that a job without a service has no process of one', () => {
  const journal = fixtureJournal(small);
  const eachRound = (target: Target) => {
    const run = { ...journal.run, scenario: { ...journal.run.scenario, target } };
    return new Map(provenanceFacts(summarize({ ...journal, run, records: [arm('a'), ...journal.records] }))).get(
      'each round',
    );
  };
  expect(eachRound(journal.run.scenario.target)).toContain('process of the service (0.50 s)');
  expect(eachRound({ kind: 'none', env: {} })).toMatch(
    /^each arm gets its own: copy of the loaded database \(0\.10 s\)$/,
  );
});

it('and why each arm had a server', () => {
  const summary = summarize(fixtureJournal(small));
  const provenance = { ...summary.provenance, ownServers: 'shared buffers' as const };
  expect(new Map(provenanceFacts({ ...summary, provenance })).get('servers')).toBe(
    'one Postgres for each arm, started fresh in every round: the databases of all arms together do not fit in shared_buffers',
  );
});

it('and the commits of variants that were run in folders of their own', () => {
  const summary = summarize(fixtureJournal(small));
  expect(new Map(provenanceFacts(summary)).has('commits')).toBe(false);
  const variantCommits = { base: '070d3df', head: '1b2c3d4+changes' };
  const facts = new Map(provenanceFacts({ ...summary, provenance: { ...summary.provenance, variantCommits } }));
  expect(facts.get('commits')).toBe('base 070d3df, head 1b2c3d4+changes');
});

it('and what made distances, in old runs with the reason where it was not the kernel', () => {
  const summary = summarize(fixtureJournal(small));
  const by = (more: Partial<typeof summary.provenance>) =>
    new Map(provenanceFacts({ ...summary, provenance: { ...summary.provenance, ...more } })).get('distance by');
  expect(by({})).toBeUndefined();
  expect(by({ distanceBy: 'proxy' })).toBe('a proxy for each arm');
  expect(by({ distanceBy: 'netem' })).toBe('netem, before the network namespace of the server');
  expect(by({ distanceBy: 'proxy', distanceReason: 'it needs root' })).toBe(
    'a proxy for each arm (not netem: it needs root)',
  );
});

it('and is silent where nothing was', () => {
  const labels = [...factsOf(arm('a'), arm('b')).keys()];
  expect(labels.filter((label) => /^changed|^servers/.test(label))).toEqual([]);
  expect(
    factsOf(arm('b', { treatment: [{ kind: 'dropIndex', name: 'ix', found: 'ix dropped' }] })).has('servers'),
  ).toBe(false);
});

it('the provenance says which role services have, and whether policies apply to it', () => {
  const summary = summarize(fixtureJournal(small));
  const role = (more: Partial<ServiceRole>) => {
    const serviceRole = { name: 'app', isSuperuser: false, secured: 2, bypassed: 0, ...more };
    return new Map(provenanceFacts({ ...summary, provenance: { ...summary.provenance, serviceRole } })).get('role');
  };
  expect(role({})).toBe('services have the role app');
  expect(role({ bypassed: 1 })).toMatch(/app: row-level security of 1 of 2 tables does not apply/);
  expect(role({ isSuperuser: true, bypassed: 2 })).toMatch(/app, a superuser: row-level security of 2 of 2/);
  expect(role({ isSuperuser: true, secured: 0 })).toBeUndefined();
});

it('the provenance names what this Postgres lacks of the data set, and in which file', () => {
  const summary = summarize(fixtureJournal(small));
  const dataset = { name: 'a.sql, b.sql', documents: 0, byResource: {}, fingerprint: null, loadMs: 1 };
  const left = (leftOut?: LeftOut[]) => {
    const provenance = { ...summary.provenance, dataset: { ...dataset, ...(leftOut && { leftOut }) } };
    return new Map(provenanceFacts({ ...summary, provenance })).get('left out');
  };
  expect(left()).toBeUndefined();
  const words = left([
    { file: 'a.sql', kind: 'role', name: 'app' },
    { file: 'b.sql', kind: 'setting', name: 'transaction_timeout' },
    { file: 'a.sql', kind: 'role', name: 'reader' },
  ]);
  expect(words).toMatch(/^a\.sql: .*\bapp, reader\b.*; b\.sql: .*\btransaction_timeout\b/);
});
