import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { mistakes } from '../scenario-text.ts';

const load = 'load: { connections: 1, requests: [{ path: / }] }\n';
const distancesOf = (text: string, target = '{ command: x }') =>
  Object.fromEntries(
    parseScenario(`target: ${target}\n${text}\n${load}`, 'mine.yaml').variants.map(({ name, distance }) => [
      name,
      distance,
    ]),
  );

describe('the distance to the database', () => {
  it('is said for all, and otherwise by a variant', () => {
    const stack = 'stack: { distance: { rtt: 1ms, jitter: 100us, bandwidth: 100mbit } }';
    expect(
      distancesOf(
        `${stack}\nvariants: { A: {}, near: { distance: { rtt: 0 } }, far: { distance: { rtt: 20ms } } }\ncontrol: A`,
      ),
    ).toEqual({
      A: { rttMs: 1, jitterMs: 0.1, bandwidthMbit: 100 },
      near: { rttMs: 0, bandwidthMbit: 100 },
      far: { rttMs: 20, jitterMs: 0.1, bandwidthMbit: 100 },
    });
    expect(
      parseScenario(`target: { command: x }\n${stack}\nvariants: { A: {} }\ncontrol: A\n${load}`, 'mine.yaml').stack,
    ).toEqual({ postgres: { settings: {} }, opensearch: false });
  });

  it('is a factor, beside others and over what is said for all', () => {
    expect(
      distancesOf(
        'stack: { distance: { jitter: 0.1ms } }\nsweep: { pool: { env: POOL_MAX, levels: [2, 5] }, distance: { rtt: [0.5ms, 2ms] } }\ncontrol: { pool: 2, distance: 0.5ms }',
      ),
    ).toEqual({
      'pool=2, distance=0.5ms': { rttMs: 0.5, jitterMs: 0.1 },
      'pool=2, distance=2ms': { rttMs: 2, jitterMs: 0.1 },
      'pool=5, distance=0.5ms': { rttMs: 0.5, jitterMs: 0.1 },
      'pool=5, distance=2ms': { rttMs: 2, jitterMs: 0.1 },
    });
    expect(
      distancesOf('sweep: { far: { rtt: [0, 1ms] }, wire: { bandwidth: [1gbit] } }\ncontrol: { far: 0, wire: 1gbit }'),
    ).toEqual({
      'far=0, wire=1gbit': { rttMs: 0, bandwidthMbit: 1000 },
      'far=1ms, wire=1gbit': { rttMs: 1, bandwidthMbit: 1000 },
    });
  });

  it('of nothing is none', () => {
    expect(distancesOf('sweep: { distance: { rtt: [0, 0ms, 1ms] } }\ncontrol: { distance: 0 }')).toMatchObject({
      'distance=0': undefined,
      'distance=0ms': undefined,
      'distance=1ms': { rttMs: 1 },
    });
  });

  it('has its mistakes at their places', () => {
    const of = (text: string, target = '{ command: x }'): string[] => mistakes(`target: ${target}\n${text}\n${load}`);
    const sweep = (factor: string): string[] => of(`sweep: { far: ${factor} }\ncontrol: { far: 1ms }`);
    expect(sweep('{ rtt: [1ms, 2] }')).toEqual([
      '2:28: sweep.far.rtt.1: expected a short time such as 0.5ms, 500us or 0',
    ]);
    expect(sweep('{ rtt: [1ms, 2s] }')).toEqual(['2:28: sweep.far.rtt.1: expected at most 1s']);
    expect(sweep('{ rtt: [1ms], levels: [1ms] }')).toEqual(['2:29: sweep.far: expected one of levels, rtt, not both']);
    expect(sweep('{ rtt: [1ms, 1ms] }')).toEqual(['2:28: level 1ms stands twice']);
    expect(sweep('{ rtt: [1ms], jitter: [1ms] }')[0]).toMatch(/not both rtt and jitter$/);
    expect(sweep('{ env: X }')[0]).toBe('2:15: sweep.far.levels is missing: expected array');
    expect(of('variants: { A: { distance: { rtt: 1ms, jitter: 2ms } } }\ncontrol: A')).toEqual([
      '2:28: variants.A.distance: a jitter of 2ms is more than the rtt of 1ms',
    ]);
    const stack = (text: string): string[] => of(`variants: { A: {}, B: {} }\ncontrol: A\nstack: ${text}`);
    expect(stack('{ distance: { bandwidth: 1 } }')).toEqual([
      '4:33: stack.distance.bandwidth: expected a bandwidth from 0.1mbit to 100gbit, such as 100mbit',
    ]);
    expect(stack('{ distance: 1ms }')).toEqual([
      '4:20: stack.distance: expected { rtt, jitter, bandwidth }, such as { rtt: 1ms }',
    ]);
  });

  it('is not that of a service that somebody else started, nor switched live', () => {
    const url = "{ url: 'http://127.0.0.1:1' }";
    expect(
      mistakes(`target: ${url}\nvariants: { A: {}, B: {} }\ncontrol: A\nstack: { distance: { rtt: 1ms } }\n${load}`),
    ).toEqual(['4:20: stack.distance: pgsweep does not start a url target, so it has no say in its distance']);
    expect(
      mistakes(`target: ${url}\nvariants: { A: { distance: { rtt: 1ms } }, B: {} }\ncontrol: A\n${load}`)[0],
    ).toMatch(/variants\.A\.distance cannot vary with a url target/);
    const live =
      'sweep: { sync: { live: { setting: synchronous_commit }, levels: [on, off] }, far: { rtt: [1ms, 2ms] } }\ncontrol: { sync: on, far: 1ms }';
    expect(mistakes(`target: { command: x }\n${live}\n${load}`)).toEqual([
      '2:83: far (distance) cannot be switched live like the other factors: the connections of a running service have the way that they were opened over',
    ]);
  });
});
