import { describe, expect, it } from 'vitest';
import { PgsweepError } from '../../../../src/base/errors.ts';
import { examinePools, explainedError } from '../../../../src/measure/link/pooler/try-pooler.ts';
import { connectionNeeds } from '../../../../src/measure/run/preflight/connections.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';

const rest = 'control: A\nload: { connections: [1, 25], requests: [{ path: / }] }\n';
const scenario = (variants: string) =>
  parseScenario(`target: { command: x, pool: N, env: { N: 50 } }\nvariants: ${variants}\n${rest}`, 'x.yaml');

describe('a pool before a pooler', () => {
  it('opens no more connections of the database than the pooler has', () => {
    const needs = (pooler: string) => connectionNeeds(scenario(`{ A: ${pooler} }`))[0];
    // The control twice.
    expect(needs('{}')).toMatchObject({ arms: 2, pools: 100, used: 50 });
    expect(needs('{ pooler: { pgbouncer: { size: 5, reserveSize: 1 } } }')).toMatchObject({
      arms: 2,
      pools: 12,
      used: 12,
    });
    expect(needs('{ pooler: { pgbouncer: { size: 30, settings: { max_db_connections: 7 } } } }')).toMatchObject({
      pools: 14,
    });
    // It has one user.
    const limits = (settings: string) => needs(`{ pooler: { pgbouncer: { size: 30, settings: { ${settings} } } } }`);
    expect(limits('max_user_connections: 4, max_db_connections: 7')).toMatchObject({ pools: 8 });
    expect(limits('max_user_connections: 9, max_db_connections: 7')).toMatchObject({ pools: 14 });
    expect(limits('max_user_connections: 0')).toMatchObject({ pools: 60 });
    expect(needs('{ pooler: { pgbouncer: { size: 80 } } }')).toMatchObject({ pools: 100 });
    const unknown = `target: { command: x }\nvariants: { A: { pooler: { pgbouncer: { size: 5 } } } }\n${rest}`;
    expect(connectionNeeds(parseScenario(unknown, 'x.yaml'))[0]).toMatchObject({ pools: 10 });
  });

  it('that is larger than the pooler lets in, or than it has for sessions, is a warning', () => {
    const found = (pooler: string): string[] =>
      examinePools(scenario(`{ A: { pooler: { pgbouncer: ${pooler} } } }`)).map(
        ({ found, advice }) => `${found}. ${advice}`,
      );
    expect(found('{ mode: transaction, size: 5 }')).toEqual([]);
    expect(found('{ size: 50 }')).toEqual([]);
    expect(found('{ size: 20 }')[0]).toMatch(
      /may open 50 connections, and in session mode each keeps one of PgBouncer's 20/,
    );
    expect(found('{ size: 50, settings: { max_user_connections: 4 } }')[0]).toContain("keeps one of PgBouncer's 4");
    expect(found('{ size: 40, reserveSize: 10 }')).toEqual([]);
    expect(found('{ mode: transaction, maxClientConn: 40 }')[0]).toMatch(
      /PgBouncer lets 40 clients in\. Set pooler\.pgbouncer\.maxClientConn: 50\./,
    );
    expect(examinePools(scenario('{ A: {} }'))).toEqual([]);
  });
});

describe('the error of a service that is tried through a pooler', () => {
  const error = new PgsweepError('target', 'it answered 500', { hint: 'Correct it.' });
  const mode = 'transaction';

  it('has what was refused, what the mode breaks, and what to do', () => {
    const uses = [
      { feature: 'named prepared statements', fails: true, statement: 'get: SELECT  1\nFROM items' },
    ] as const;
    const errors = [{ code: '26000', text: 'prepared statement "get" does not exist' }];
    const explained = explainedError(error, { name: 'A', mode, uses, seen: { errors } });
    expect(explained.message).toBe(
      'it answered 500\nThrough PgBouncer in transaction mode its database refused: prepared statement "get" does not exist (26000)\n' +
        '"A" uses named prepared statements, which transaction mode of PgBouncer breaks: the next use may come to a connection that does not know the name. Seen: get: SELECT 1 FROM items',
    );
    expect(explained.hint).toMatch(/maxPreparedStatements: 100 .* mode: session keeps everything\.$/);
    expect(explainedError(explained, { name: 'A', mode, uses, seen: { errors } })).toBe(explained);
  });

  it('names the parameter that PgBouncer does not take', () => {
    const errors = [{ code: '08P01', text: 'unsupported startup parameter: statement_timeout' }];
    expect(explainedError(error, { name: 'A', mode, uses: [], seen: { errors } }).hint).toContain(
      'ignoreStartupParameters: statement_timeout',
    );
  });

  it('stays as it is where nothing is known', () => {
    expect(explainedError(error, { name: 'A', mode, uses: [], seen: { errors: [] } })).toBe(error);
  });
});
