import { describe, expect, test } from 'vitest';
import { type Gated, isAskedOf, parseGate, requireGated } from '../../../src/analysis/judge/gate.ts';
import { allMetrics } from '../../../src/analysis/read/metrics/work-metrics.ts';

const gated: Gated = {
  control: 'pool=10',
  variants: ['pool=25', 'pool=50', 'the new one of May'],
  loads: [{ connections: 1 }, { connections: 50 }, { connections: 50, workload: 'get-documents' }],
};

describe('a gate', () => {
  test.each([
    ['p99_ms < +10%', { metric: 'latency_p99_ms', holds: '<', limitPercent: 10 }],
    ['rps>-5%', { metric: 'requests_per_s', holds: '>', limitPercent: -5 }],
    ['  requests_per_s  >=  -0.5 % ', { metric: 'requests_per_s', holds: '>=', limitPercent: -0.5 }],
    ['statements_per_request <= 0%', { metric: 'statements_per_request', holds: '<=', limitPercent: 0 }],
  ])('%s', (text, expected) => {
    expect(parseGate(text)).toEqual({ text: text.trim().replace(/\s+/g, ' '), load: null, variant: null, ...expected });
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
    for (const { name } of allMetrics) expect(parseGate(`${name} < 5%`).metric).toBe(name);
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

test('without a variant there is nothing to be gated', () => {
  expect(() => requireGated([parseGate('rps > -5%')], { ...gated, variants: [] })).toThrow(/no variant besides/);
  expect(() => requireGated([], { ...gated, variants: [] })).not.toThrow();
});

test('a number of connections names every load level that has it, its whole name one', () => {
  const askedOf = (text: string): boolean[] =>
    gated.loads.map((load) => isAskedOf(parseGate(text), { metric: 'requests_per_s', variant: 'pool=25', load }));
  expect(askedOf('rps > -5%')).toEqual([true, true, true]);
  expect(askedOf('rps > -5% at 50')).toEqual([false, true, true]);
  expect(askedOf('rps > -5% at 50 connections')).toEqual([false, true, true]);
  expect(askedOf('rps > -5% at 1 connection of pool=25')).toEqual([true, false, false]);
  expect(askedOf('rps > -5% at get-documents, 50 connections')).toEqual([false, false, true]);
  expect(askedOf('rps > -5% of pool=50')).toEqual([false, false, false]);
  expect(askedOf('p99_ms < 5%')).toEqual([false, false, false]);
});
