import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fromJSONSchema } from 'zod';
import { type JsonSchema, summaryJsonSchema } from '../../scripts/summary-schema.ts';
import { type Summary, summarize } from '../../src/judge/summary.ts';
import { parseGate } from '../../src/judge/verdicts/gate.ts';
import { fixtureJournal, unfitOptions } from './journal-fixture.ts';
import { small } from './small-run.ts';

const schema = JSON.parse(readFileSync('docs/summary.schema.json', 'utf8'));

/** The same schema without room for a property that it does not name. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const all = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  return 'properties' in node && 'type' in node ? { ...all, additionalProperties: false } : all;
}

const strict = fromJSONSchema(closed(schema) as JsonSchema);
const errorOf = (summary: Summary | object): unknown => strict.safeParse(JSON.parse(JSON.stringify(summary))).error;

test('docs/summary.schema.json is that of the type (else: npm run schema)', () => {
  expect(schema).toEqual(summaryJsonSchema());
});

test.each([
  ['a usual run', {}],
  ['no round', { rounds: 0, unfinishedSlices: 2, end: null }],
  ['an unfit session', unfitOptions],
  [
    'probes',
    {
      probes: () => ({ processes: { service_cpu_cores: 0.5, postgres_cpu_cores: 1.9 } }),
      probeRows: () => ({ 'pg-stat-statements': [{ statement: 'COMMIT', calls: 900, total_ms: 20, rows: 0 }] }),
    },
  ],
  ['failures', { failures: ({ variant }: { variant: string }) => (variant === 'b' ? { statuses: { 500: 100 } } : {}) }],
])('%s is as the schema says, and has no field that it does not name', (_, options) => {
  expect(errorOf(summarize(fixtureJournal({ ...small, ...options })))).toBeUndefined();
});

test('gates of every outcome are as the schema says', () => {
  const gates = ['rps > -5%', 'rps > +5%', 'rps > -0.5%', 'p99_ms < +10%'].map(parseGate);
  const asked = { gates, unclear: 'pass', size: true, all: true } as const;
  const summary = summarize(fixtureJournal(small), undefined, asked);
  expect(summary.asked).toMatchObject({ unclear: 'pass', all: true, size: { moreRounds: null } });
  expect(new Set(summary.gates.map(({ outcome }) => outcome))).toEqual(new Set(['pass', 'fail', 'unclear']));
  expect(errorOf(summary)).toBeUndefined();
});

test('it would be seen: another word, another version, a field too many', () => {
  const summary = summarize(fixtureJournal(small));
  const [first, ...others] = summary.comparisons;
  expect(errorOf({ ...summary, version: 1 })).toBeDefined();
  expect(errorOf({ ...summary, more: 1 })).toBeDefined();
  expect(errorOf({ ...summary, comparisons: [{ ...first, verdict: 'unclear' }, ...others] })).toBeDefined();
  expect(
    errorOf({ ...summary, comparisons: [{ ...first, notes: [{ kind: 'unheard-of' }] }, ...others] }),
  ).toBeDefined();
});

test('docs/summary.md names every field, verdict and kind of note', () => {
  const page = readFileSync('docs/summary.md', 'utf8');
  const { Summary: whole, RunSummary: run, Comparison: one, Session: session, Decided, Undecided } = schema.$defs;
  const fields = [whole, run, one, session, Decided, Undecided].flatMap(({ properties }) => Object.keys(properties));
  const kinds = [...JSON.stringify(schema).matchAll(/"kind":\{"const":"([a-z-]+)"/g)].map(([, kind]) => kind ?? '');
  expect(kinds.length).toBeGreaterThan(20);
  const words = new Set([...fields, ...schema.$defs.Verdict.enum, ...kinds]);
  expect([...words].filter((word) => !page.includes(`\`${word}\``))).toEqual([]);
});
