import { describe, expect, test } from 'vitest';
import { allMetrics } from '../../../src/judge/read/metrics/work-metrics.ts';
import { type ChangeGate, type Gated, isAskedOf, parseGate, requireGated } from '../../../src/judge/verdicts/gate.ts';

const gated: Gated = {
  control: 'pool=10',
  variants: ['pool=25', 'pool=50', 'the new one of May'],
  loads: [{ connections: 1 }, { connections: 50 }, { connections: 50, workload: 'get-documents' }],
  settings: [
    { variant: 'pool=10', label: '10', factors: { pool: 10 } },
    { variant: 'pool=25', label: '25', factors: { pool: 25 } },
    { variant: 'pool=50', label: '50', factors: { pool: 50 } },
  ],
};

function changeGate(text: string): ChangeGate {
  const gate = parseGate(text);
  if (gate.kind !== 'change') throw new Error(`${text} is no gate on changes`);
  return gate;
}

describe('a gate', () => {
  test.each([
    ['p99_ms < +10%', { metric: 'latency_p99_ms', holds: '<', limitPercent: 10 }],
    ['rps>-5%', { metric: 'requests_per_s', holds: '>', limitPercent: -5 }],
    ['  requests_per_s  >=  -0.5 % ', { metric: 'requests_per_s', holds: '>=', limitPercent: -0.5 }],
    ['statements_per_request <= 0%', { metric: 'statements_per_request', holds: '<=', limitPercent: 0 }],
  ])('%s', (text, expected) => {
    const written = text.trim().replace(/\s+/g, ' ');
    expect(parseGate(text)).toEqual({ kind: 'change', text: written, load: null, variant: null, ...expected });
  });

  test.each([
    ['rps > -5% at 50 connections', { load: '50 connections', variant: null }],
    ['rps > -5% of pool=25', { load: null, variant: 'pool=25' }],
    ['rps > -5% at 50 of the new one of May', { load: '50', variant: 'the new one of May' }],
    ['rps > -5% at get-documents, 50 connections', { load: 'get-documents, 50 connections', variant: null }],
  ])('is narrowed: %s', (text, expected) => {
    const gate = parseGate(text);
    expect(gate).toMatchObject(expected);
    expect(() => requireGated([gate], gated)).not.toThrow();
  });

  test('may be about every metric of metrics.csv', () => {
    for (const { name } of allMetrics) expect(parseGate(`${name} < 5%`)).toMatchObject({ metric: name });
  });

  test.each([
    ['p999_ms < 10%', /there is no metric p999_ms/, /Did you mean p99_ms\?/],
    ['latency_p99 < 10%', /no metric latency_p99 /, /Did you mean latency_p99_ms\?/],
    ['toString < 10%', /no metric toString/, /rps/],
    ['p99_ms < 10', /"p99_ms < 10" is no gate/, /p99_ms < \+10%/],
    ['p99_ms = 10%', /is no gate/, /METRIC < PERCENT/],
    ['p99_ms', /is no gate/, /METRIC < PERCENT/],
    ['', /"" is no gate/, /METRIC < PERCENT/],
    [`rps > -5% of ${'x'.repeat(1e6)}`, /is no gate/, /METRIC < PERCENT/],
    ['rps > -100%', /above -100 %/, /5 % less/],
  ])('that is none says so: %.40s', (text, message, hint) => {
    expect(() => parseGate(text)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringMatching(message),
        hint: expect.stringMatching(hint),
      }),
    );
  });
});

test.each([
  ['rps > -5% of pool=52', /no variant pool=52/, /Did you mean pool=50\?/],
  ['rps > -5% of pool=10', /pool=10 is the control/, /^Every gate compares with it\. The others are pool=25/],
  ['rps > -5% at 5 connections', /no load level 5 connections/, /50 connections, get-documents, 50 connections/],
])('what it is narrowed to must be there: %s', (text, message, hint) => {
  expect(() => requireGated([parseGate(text)], gated)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(message), hint: expect.stringMatching(hint) }),
  );
});

describe('a gate on the decision', () => {
  test.each([
    ['recommended == pool=10', { setting: 'pool=10', load: null }],
    [' recommended==10  at 50 connections', { setting: '10', load: '50 connections' }],
    ['recommended == the new one of May', { setting: 'the new one of May', load: null }],
  ])('%s', (text, expected) => {
    const written = text.trim().replace(/\s+/g, ' ');
    expect(parseGate(text)).toEqual({ kind: 'decision', text: written, ...expected });
  });

  test.each([
    ['recommended = pool=10', /"recommended = pool=10": = cannot stand after recommended/],
    ['recommended != pool=10', /!= cannot stand after recommended/],
    ['recommended >= 10', />= cannot stand after recommended/],
    ['recommended < 10%', /< cannot stand after recommended/],
    ['recommended ==', /there is no setting after ==/],
  ])('that is none says so: %s', (text, message) => {
    expect(() => parseGate(text)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringMatching(message),
        hint: expect.stringContaining('recommended == SETTING'),
      }),
    );
  });

  test('may be about the control, and about a short name', () => {
    for (const setting of ['pool=10', '10', 'pool=50', '50 at 50 connections'])
      expect(() => requireGated([parseGate(`recommended == ${setting}`)], gated)).not.toThrow();
  });

  test.each([
    ['recommended == pool=52', /no setting pool=52/, /Did you mean pool=50\?/],
    ['recommended == 26', /no setting 26/, /Did you mean 25\?/],
    ['recommended == pool=10 at 5 connections', /no load level 5 connections/, /50 connections/],
  ])('names what there is: %s', (text, message, hint) => {
    expect(() => requireGated([parseGate(text)], gated)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(message), hint: expect.stringMatching(hint) }),
    );
  });

  test('needs a decision: of two runs, or where load levels are looked for, there is none', () => {
    const { settings: _, ...compared } = gated;
    const gates = [parseGate('recommended == pool=10')];
    expect(() => requireGated(gates, compared)).toThrow(/a comparison of two runs/);
    expect(() => requireGated(gates, { ...gated, loads: [] })).toThrow(/a run with load\.capacity/);
  });
});

test.each(['rps > -5%', 'rps > -5% at 50', 'p99_ms < 10% of pool=25'])(
  'a gate on changes is refused where load levels are looked for: %s',
  (text) => {
    const { settings: _, ...compared } = gated;
    for (const of of [gated, compared]) {
      expect(() => requireGated([parseGate(text)], { ...of, loads: [] })).toThrow(
        expect.objectContaining({
          code: 'usage',
          message: expect.stringContaining(`"${text}": a run with load.capacity`),
        }),
      );
    }
  },
);

test('without a variant there is nothing to be gated', () => {
  expect(() => requireGated([parseGate('rps > -5%')], { ...gated, variants: [] })).toThrow(/no variant besides/);
  expect(() => requireGated([], { ...gated, variants: [] })).not.toThrow();
});

test('a number of connections names every load level that has it, its whole name one', () => {
  const askedOf = (text: string): boolean[] =>
    gated.loads.map((load) => isAskedOf(changeGate(text), { metric: 'requests_per_s', variant: 'pool=25', load }));
  expect(askedOf('rps > -5%')).toEqual([true, true, true]);
  expect(askedOf('rps > -5% at 50')).toEqual([false, true, true]);
  expect(askedOf('rps > -5% at 50 connections')).toEqual([false, true, true]);
  expect(askedOf('rps > -5% at 1 connection of pool=25')).toEqual([true, false, false]);
  expect(askedOf('rps > -5% at get-documents, 50 connections')).toEqual([false, false, true]);
  expect(askedOf('rps > -5% of pool=50')).toEqual([false, false, false]);
  expect(askedOf('p99_ms < 5%')).toEqual([false, false, false]);
});
