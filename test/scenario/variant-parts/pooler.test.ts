import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';
import { mistakes } from '../scenario-text.ts';

const load = 'load: { connections: 1, requests: [{ path: / }] }\n';
const poolersOf = (text: string, target = '{ command: x }') =>
  Object.fromEntries(
    parseScenario(`target: ${target}\n${text}\n${load}`, 'mine.yaml').variants.map(({ name, pooler }) => [
      name,
      pooler,
    ]),
  );
const plain = { kind: 'pgbouncer', mode: 'session', size: 20, settings: {} };

describe('what pools connections', () => {
  it('is said for all, and otherwise by a variant, or off', () => {
    expect(
      poolersOf(
        'stack: { pooler: { pgbouncer: { mode: transaction, size: 5, settings: { server_idle_timeout: 60 } } } }\n' +
          'variants: { A: {}, large: { pooler: { pgbouncer: { size: 50, settings: { verbose: 1 } } } }, direct: { pooler: off }, no: { pooler: false } }\ncontrol: A',
      ),
    ).toEqual({
      A: { ...plain, mode: 'transaction', size: 5, settings: { server_idle_timeout: '60' } },
      large: { ...plain, mode: 'transaction', size: 50, settings: { server_idle_timeout: '60', verbose: '1' } },
      direct: undefined,
      no: undefined,
    });
    expect(poolersOf('variants: { A: {}, B: { pooler: { pgbouncer: {} } } }\ncontrol: A')).toEqual({
      A: undefined,
      B: plain,
    });
  });

  it('has all that PgBouncer is usually given', () => {
    const all =
      '{ minSize: 2, reserveSize: 5, maxClientConn: 400, maxPreparedStatements: 100, queryWaitTimeout: 1500ms, ignoreStartupParameters: extra_float_digits, connectQuery: SET jit = off }';
    expect(poolersOf(`stack: { pooler: { pgbouncer: ${all} } }\nvariants: { A: {} }\ncontrol: A`).A).toEqual({
      ...plain,
      minSize: 2,
      reserveSize: 5,
      maxClientConn: 400,
      maxPreparedStatements: 100,
      queryWaitTimeoutMs: 1500,
      ignoreStartupParameters: ['extra_float_digits'],
      connectQuery: 'SET jit = off',
    });
  });

  it('is a factor by its size and by its mode, of which one is off', () => {
    expect(
      poolersOf(
        'stack: { pooler: { pgbouncer: { reserveSize: 1 } } }\nsweep: { mode: { poolerMode: [off, transaction] }, size: { poolerSize: [5] } }\ncontrol: { mode: off, size: 5 }',
      ),
    ).toEqual({
      'mode=off, size=5': undefined,
      'mode=transaction, size=5': { ...plain, mode: 'transaction', size: 5, reserveSize: 1 },
    });
  });

  it('has the database of the document service set what that cannot ask for through a pooler', () => {
    const text =
      'variants: { direct: {}, pooled: { settings: { work_mem: 8MB }, pooler: { pgbouncer: {} } } }\ncontrol: direct';
    const { variants } = parseScenario(
      `target: { service: documents }\n${text}\nload: { connections: 1, workload: get-documents }\n`,
      'mine.yaml',
    );
    const [direct, pooled] = variants;
    expect(direct).toEqual({ name: 'direct', factors: {}, env: {} });
    expect(pooled?.pooler?.ignoreStartupParameters).toEqual(['options']);
    expect(pooled?.treatment?.settings).toEqual({
      enable_seqscan: 'off',
      enable_bitmapscan: 'off',
      jit: 'off',
      work_mem: '8MB',
    });
  });

  it('has its mistakes at their places', () => {
    const of = (pooler: string): string[] =>
      mistakes(`target: { command: x }\nvariants: { A: { pooler: ${pooler} } }\ncontrol: A\n${load}`);
    expect(of('on')[0]).toMatch(/^2:26: variants.A.pooler: expected off, or \{ pgbouncer: \{ mode, size \} \}/);
    expect(of('{ pgbouncer: { mode: pooled } }')[0]).toMatch(
      /pooler.pgbouncer.mode: expected session, transaction, statement/,
    );
    expect(of('{ pgbouncer: { sise: 5 } }')[0]).toMatch(/unknown key "sise".*did you mean "size"/);
    expect(of('{ pgbouncer: { size: 2, minSize: 3 } }')).toEqual([
      '2:26: variants.A.pooler: minSize 3 is more than size 2',
    ]);
    expect(of('{ pgbouncer: { settings: { pool_mode: session } } }')[0]).toMatch(
      /the setting pool_mode cannot be given: it is mode$/,
    );
    expect(of('{ pgbouncer: { settings: { "x\\n": 1 } } }')[0]).toMatch(/is no name of a setting of PgBouncer/);
    expect(of('{ pgbouncer: { settings: { verbose: "1\\nlisten_addr = *" } } }')[0]).toMatch(/more than one line$/);
    expect(of('{ pgbouncer: { ignoreStartupParameters: ["a, b"] } }')[0]).toMatch(/"a, b" is no name of a parameter$/);
  });

  it('is not that of a service that somebody else started', () => {
    expect(
      mistakes(
        `target: { url: 'http://127.0.0.1:1' }\nvariants: { A: {}, B: {} }\ncontrol: A\nstack: { pooler: { pgbouncer: {} } }\n${load}`,
      ),
    ).toEqual(['4:18: stack.pooler: pgsweep does not start a url target, so it has no say in its pooler']);
  });
});
