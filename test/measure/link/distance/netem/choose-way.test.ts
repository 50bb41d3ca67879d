import { describe, expect, it } from 'vitest';
import { hasDistance, wayOf, whyNotFor } from '../../../../../src/measure/link/distance/netem/choose-way.ts';
import { parseScenario } from '../../../../../src/scenario/load-scenario.ts';

const scenario = (variants: string, stack = '{}') =>
  parseScenario(
    `title: ways
target: { service: documents }
variants: ${variants}
control: A
load: { connections: 1, workload: get-schools }
stack: ${stack}
`,
    'ways.yaml',
  );

const far = '{ A: {}, far: { distance: { rtt: 1ms, bandwidth: 100mbit } } }';

describe('what makes the distances of a scenario', () => {
  it('is asked only where there are some', () => {
    expect(hasDistance(scenario('{ A: {}, B: {} }'))).toBe(false);
    expect(hasDistance(scenario(far))).toBe(true);
  });

  it.each([
    ['an embedded server', far, '{}', 'embedded', null],
    ['a container', far, '{}', 'docker', 'with the stack docker the server is no process of the bench'],
    ['a server of somebody else', far, '{}', 'external', 'with the stack external'],
    [
      'one variant in a container',
      '{ A: { distance: { rtt: 1ms } }, B: { postgres: { stack: docker, version: 17 } } }',
      '{}',
      'embedded',
      'with the stack docker',
    ],
    [
      'a pooler',
      '{ A: {}, B: { distance: { rtt: 1ms }, pooler: { pgbouncer: { mode: session } } } }',
      '{}',
      'embedded',
      'a PgBouncer stands before the database of "B"',
    ],
    ['jitter', far, '{ distance: { rtt: 1ms, jitter: 0.1ms } }', 'embedded', '"A" asks for jitter'],
  ])('can be netem with %s, or not', (_, variants, stack, kind, why) => {
    const found = whyNotFor(scenario(variants, stack), kind);
    if (why === null) expect(found).toBeNull();
    else expect(found).toContain(why);
  });
});

describe('the way of a run', () => {
  const netem = { way: 'netem', because: 'PGSWEEP_DISTANCE is netem' } as const;
  const proxy = { way: 'proxy', because: 'PGSWEEP_DISTANCE is proxy' } as const;

  it('is the kernel where that can be, unless the proxy is asked for', () => {
    expect(wayOf(null, null)).toEqual({ by: 'netem', why: null });
    expect(wayOf(null, netem)).toEqual({ by: 'netem', why: null });
    expect(wayOf(null, proxy)).toEqual({ by: 'proxy', why: 'PGSWEEP_DISTANCE is proxy' });
  });

  it('is the proxy elsewhere, with the reason, which is an error where netem is asked for', () => {
    expect(wayOf('it needs root', null)).toEqual({ by: 'proxy', why: 'it needs root' });
    expect(() => wayOf('it needs root', netem)).toThrow(
      'netem cannot make the distances of this run: it needs root. PGSWEEP_DISTANCE is netem',
    );
  });
});
