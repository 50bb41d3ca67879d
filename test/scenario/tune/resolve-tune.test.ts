import { describe, expect, it } from 'vitest';
import { plannedVariants } from '../../../src/journal/line-up.ts';
import type { FactorValue } from '../../../src/journal/scenario-record.ts';
import { pointOfVariant, variantAt } from '../../../src/journal/tune/variant-at.ts';
import { areOneProcess } from '../../../src/journal/variant-parts.ts';
import { needOfOwnServers } from '../../../src/measure/plan/own-servers.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { tunableSettings } from '../../../src/scenario/tune/postgres-space.ts';

const scenario = (tune: string, control: string, more = '') =>
  parseScenario(
    `title: which
target: { command: "true" }
dataset: { sql: [] }
tune:
${tune}
control: ${control}
load: { connections: 25, requests: [{ path: / }] }
${more}`.replace('dataset: { sql: [] }\n', ''),
    'test/fixtures/services/tune.yaml',
  );

const whole = `  pool: { env: POOL_MAX, range: [1, 100] }
  work_mem: { setting: work_mem, range: [1MB, 256MB] }
  random_page_cost: { setting: random_page_cost, range: [1.0, 4.0] }
  jit: { setting: jit, levels: [on, off] }
  index: { hideIndex: ix_items_owner }`;
const control = '{ pool: 10, work_mem: 4MB, random_page_cost: 4.0 }';

describe('a space', () => {
  it('is read with the control as one of its settings, and asks for the best', () => {
    const { variants, tune, slots, question, rounds, load } = scenario(whole, control);
    const name = 'pool=10, work_mem=4MB, random_page_cost=4';
    expect(variants).toEqual([
      {
        name,
        factors: { pool: 10, work_mem: '4MB', random_page_cost: 4, jit: 'on', index: 'shown' },
        env: { POOL_MAX: '10' },
        treatment: {
          settings: { work_mem: '4MB', random_page_cost: '4', jit: 'on' },
          dropIndex: [],
          createIndex: [],
          hideIndex: [],
          sql: [],
        },
      },
    ]);
    expect({ slots, question }).toEqual({ slots: 6, question: 'best' });
    expect(tune?.factors.map(({ name: factor, places }) => [factor, places === undefined])).toEqual([
      ['pool', false],
      ['work_mem', false],
      ['random_page_cost', false],
      ['jit', true],
      ['index', true],
    ]);
    expect(rounds.max).toBe(200);
    expect(load).not.toHaveProperty('autoSlice');
    if (tune === undefined) throw new Error('no space');
    const last = variantAt(
      tune,
      tune.factors.map(({ values }) => values.length - 1),
    );
    expect(last.env).toEqual({ POOL_MAX: '100' });
    expect(last.treatment).toMatchObject({
      settings: { work_mem: '256MB', jit: 'off' },
      hideIndex: ['ix_items_owner'],
    });
  });

  it('has a control that leaves what it does not name as it is', () => {
    const { variants, tune, ...own } = scenario(whole, '{ pool: 10 }');
    expect(variants).toMatchObject([
      {
        name: 'pool=10',
        env: { POOL_MAX: '10' },
        treatment: { settings: { jit: 'on' }, hideIndex: [] },
      },
    ]);
    const memory = tune?.factors.find(({ name }) => name === 'work_mem');
    expect([memory?.values.slice(0, 3), memory?.places?.slice(0, 2)]).toEqual([
      ['default', '1MB', '1536kB'],
      [-1, 0],
    ]);
    const [, slot] = plannedVariants({ ...own, variants, ...(tune && { tune }) });
    expect(slot?.treatment?.settings).toEqual({ jit: 'on', work_mem: '1MB', random_page_cost: '1.0' });
    expect(scenario('  pool: { env: POOL_MAX, range: [1, 100] }', '{}').variants).toEqual([
      { name: 'pool=default', factors: { pool: 'default' }, env: {} },
    ]);
  });

  it('of a control with a hidden index shows it again in the other setting', () => {
    const { variants, tune } = scenario('  index: { hideIndex: ix_items_owner }', '{ index: hidden }');
    expect(variants[0]?.treatment?.hideIndex).toEqual(['ix_items_owner']);
    if (tune === undefined) throw new Error('no space');
    expect(variantAt(tune, [0], variants[0])).toEqual({ name: 'index=shown', factors: { index: 'shown' }, env: {} });
  });

  it('names a setting by what differs from the control, and a control that would have a long name `control`', () => {
    const { variants, tune } = scenario(whole, '{}');
    const [own] = variants;
    if (tune === undefined || own === undefined) throw new Error('no space');
    expect(own.name).toBe('control');
    const at = (levels: Record<string, FactorValue>) =>
      variantAt(tune, pointOfVariant(tune, { factors: { ...own.factors, ...levels } }) ?? [], own);
    expect(at({ jit: 'off', pool: 6 })).toMatchObject({ name: 'pool=6, jit=off', env: { POOL_MAX: '6' } });
    expect(at({ work_mem: '16MB' }).name).toBe('work_mem=16MB');
    expect(at({}).name).toBe('control');
  });

  it('of which all factors are switched live has one process, and the switch to each setting', () => {
    const jit = '  jit: { live: { setting: jit }, levels: [on, off] }';
    const space = `${jit}\n  wait: { live: { setting: wal_writer_delay }, range: [10ms, 200ms] }\n  index: { live: { hideIndex: ix_a } }`;
    const { tune, variants, load } = scenario(space, '{}');
    const [own] = variants;
    if (tune === undefined || own === undefined) throw new Error('no space');
    expect([areOneProcess({ variants }), own.treatment, load.settleMs]).toEqual([true, undefined, 250]);
    expect(own.live).toEqual({
      settings: [
        { name: 'jit', value: 'on', place: 'database' },
        { name: 'wal_writer_delay', value: null, place: 'server' },
      ],
      indexes: [{ name: 'ix_a', hidden: false }],
      ...{ sql: [], reconnect: true, requests: [], checks: [] },
    });
    const { name, live } = variantAt(tune, [1, 1, 1], own);
    expect(name).toBe('jit=off, wait=10ms, index=hidden');
    expect(live?.settings.map(({ value }) => value)).toEqual(['off', '10ms']);
    expect(live?.indexes).toEqual([{ name: 'ix_a', hidden: true }]);
    const refused = (factors: string) => () => scenario(factors, '{}');
    expect(refused(`${jit}\n  pool: { env: POOL_MAX, range: [1, 9] }`)).toThrow(
      'tune.pool: expected live, as the others have',
    );
    expect(refused('  a: { live: { setting: shared_buffers }, levels: [64MB, 1GB] }')).toThrow(
      'shared_buffers cannot be switched live',
    );
    expect(refused('  a: { live: { setting: jit, hideIndex: ix_a }, levels: [on, off] }')).toThrow(
      'tune.a.live: expected one of setting, hideIndex',
    );
  });

  it('has no more slots than it has other settings', () => {
    expect(scenario('  jit: { setting: jit, levels: [on, off] }', '{}').slots).toBe(1);
  });

  it('leaves out pools that max_connections has no room for, and has as many slots as fit on a server', () => {
    const spaceOf = (own: string, most: number, more = '') => {
      const settings = `stack: { postgres: { settings: { max_connections: ${most} } } }`;
      const { tune, slots } = scenario(`  pool: { env: POOL_MAX, range: [1, 100] }`, own, `${settings}\n${more}`);
      const [pool] = tune?.factors ?? [];
      return {
        most: pool?.values.at(-1),
        places: pool?.places?.length === pool?.values.length,
        beyond: pool?.beyond,
        slots,
      };
    };
    expect(spaceOf('{ pool: 10 }', 500)).toEqual({ most: 100, places: true, beyond: undefined, slots: 6 });
    // Of 63 without those for superusers; 25 requests are under way at once, and the bench has 20.
    expect(spaceOf('{ pool: 10 }', 66)).toEqual({
      ...{ most: 60, places: true, beyond: { from: 70, connections: 63 } },
      slots: 1,
    });
    expect(spaceOf('{ pool: 10 }', 200)).toMatchObject({ most: 100, slots: 6 });
    expect(spaceOf('{ pool: 10 }', 200, 'rounds: { restart: server }')).toMatchObject({ slots: 6 });
    const apart = 'stack: { postgres: { settings: { max_connections: 66 } } }';
    const two =
      '  pool: { env: POOL_MAX, range: [1, 100] }\n  buffers: { setting: shared_buffers, range: [64MB, 512MB] }';
    expect(scenario(two, '{ pool: 10 }', apart).slots).toBe(6);
    expect(spaceOf('{ pool: 10 }', 120)).toMatchObject({ most: 100, slots: 3 });
    expect(spaceOf('{}', 66)).toMatchObject({ most: 60, places: true, slots: 1, beyond: { from: 70 } });
    // The control stays, whatever it is: the checks before a run say that it has no room.
    expect(spaceOf('{ pool: 90 }', 66)).toMatchObject({ most: 90, beyond: { from: 70 } });
  });

  it('of postgres is a dozen settings that need no server for each arm', () => {
    const written = (target: string) =>
      parseScenario(
        `target: ${target}\ntune: postgres\ncontrol: { work_mem: 8MB }\nload: { connections: 25, ${target.includes('service') ? 'workload: upsert-schools' : 'requests: [{ path: / }]'} }\n`,
        'test/fixtures/services/tune.yaml',
      );
    const { tune, variants } = written('{ command: "true" }');
    expect(tune?.factors.length).toBe(12);
    expect(variants[0]?.factors).toMatchObject({ work_mem: '8MB', random_page_cost: 'default', jit: 'on' });
    expect(needOfOwnServers({ variants })).toBeNull();
    // Its sessions set jit themselves.
    const sample = written('{ service: documents }');
    expect(sample.tune?.factors.map(({ name }) => name)).not.toContain('jit');
    const [least, most] = [2, 256].map((gigabytes) => tunableSettings(gigabytes * 1024 ** 3));
    expect(least?.effective_cache_size?.range).toEqual(['256MB', '4GB']);
    expect(most?.effective_cache_size?.range).toEqual(['4GB', '128GB']);
    expect([least?.work_mem?.range, most?.work_mem?.range]).toEqual([
      ['1MB', '64MB'],
      ['1MB', '4GB'],
    ]);
  });

  it('of a setting that needs a restart has a server for each arm', () => {
    const { variants } = scenario('  buffers: { setting: shared_buffers, range: [64MB, 512MB] }', '{ buffers: 128MB }');
    expect(needOfOwnServers({ variants })).toBe('variants');
  });

  it('has limits to keep, and counts failures where they are one of these', () => {
    const pool = '  pool: { env: POOL_MAX, range: [1, 100] }';
    const { tune, load } = scenario(pool, '{ pool: 10 }', 'keep: { p99_ms: 200ms, failed: 1% }');
    expect(tune?.keep).toEqual([
      { metric: 'p99_ms', most: 200 },
      { metric: 'failed', most: 0.01 },
    ]);
    expect(load.maxFailedPercent).toBe(100);
    expect(scenario(pool, '{ pool: 10 }', 'keep: { p99_ms: 200 }').load.maxFailedPercent).toBe(1);
    const refused = (keep: string, message: string): void =>
      expect(() => scenario(pool, '{ pool: 10 }', `keep: ${keep}`)).toThrow(message);
    refused('{ p98_ms: 200 }', 'keep: unknown metric "p98_ms": expected mean_ms');
    refused('{ failed: 200ms }', 'keep.failed: expected a percentage such as 1%');
    refused('{ p99_ms: 30% }', 'keep.p99_ms: expected a time such as 200, 200ms or 2s, not a percentage');
    refused('{ failed: 150% }', 'keep.failed: expected a percentage such as 1%');
    expect(scenario(pool, '{ pool: 10 }', 'keep: { failed: 0.5 }').tune?.keep).toEqual([
      { metric: 'failed', most: 0.005 },
    ]);
    refused('{}', 'keep: expected a limit, such as p95_ms: 200');
    expect(() =>
      parseScenario(
        'target: { command: "true" }\nvariants: { A: {}, B: {} }\ncontrol: A\nkeep: { p99_ms: 1 }\nload: { connections: 1, requests: [{ path: / }] }\n',
        'test/fixtures/services/tune.yaml',
      ),
    ).toThrow('keep goes with tune');
  });

  it('is refused with the place and what was expected', () => {
    const pool = '  pool: { env: POOL_MAX, range: [1, 100] }';
    const refused = (tune: string, own: string, message: string, more = ''): void =>
      expect(() => scenario(tune, own, more)).toThrow(message);
    refused(pool, '{ pool: 200 }', 'control: pool 200 lies outside of tune.pool.range [1, 100]');
    refused(pool, '{ pool: 10, size: 3 }', 'control: no factor "size": expected pool');
    refused(pool, 'ten', 'control: expected a value of each factor, such as { pool: ... }');
    refused('  pool: { env: POOL_MAX }', '{ pool: 10 }', 'tune.pool: expected one of range, levels');
    refused('  pool: { range: [1, 100] }', '{ pool: 10 }', 'tune.pool: expected one of env, setting, hideIndex');
    refused(
      '  pool: { env: POOL_MAX, range: [100, 1] }',
      '{ pool: 10 }',
      'tune.pool.range: expected the smaller end first',
    );
    refused('  jit: { setting: jit, levels: [on, off] }', '{ jit: maybe }', 'control: jit has no level maybe');
    const twice = (a: string, b: string, message: string): void =>
      refused(`  a: { ${a} }\n  b: { ${b} }`, '{}', message);
    twice('env: P, range: [1, 9]', 'env: P, range: [1, 5]', '5:3: tune.b: tune.a sets P already');
    twice('setting: Jit, levels: [on, off]', 'setting: jit, levels: [on, off]', 'tune.b: tune.a sets jit already');
    twice('hideIndex: x', 'hideIndex: x', 'tune.b: tune.a sets x already');
    twice('live: { hideIndex: x }', 'live: { hideIndex: x }', 'tune.b: tune.a sets x already');
    const apart = scenario('  a: { env: jit, levels: [1, 2] }\n  b: { setting: jit, levels: [on, off] }', '{}');
    expect(apart.tune?.factors).toHaveLength(2);
    refused('  jit: { setting: jit, levels: [on, off, on] }', '{ jit: on }', '4:42: level on stands twice');
    refused(
      pool,
      '{ pool: 10 }',
      'expected either tune or sweep, not both',
      'sweep: { a: { env: A, levels: [1, 2] } }',
    );
    refused(pool, '{ pool: 10 }', 'expected either tune or against, not both', 'against: main');
    const asked = (load: string, against?: { ref: string }) => () =>
      parseScenario(
        `target: { command: "true" }\ntune:\n${pool}\ncontrol: { pool: 10 }\nload: { ${load}, requests: [{ path: / }] }`,
        'test/fixtures/services/tune.yaml',
        against,
      );
    expect(asked('connections: 5')).not.toThrow();
    expect(asked('connections: 5', { ref: 'main' })).toThrow('expected either tune or against, not both');
    expect(asked('capacity: { connections: 1..100, until: { p95_ms: 200 } }')).toThrow(
      'tune: expected load levels, such as load.connections',
    );
  });
});
