import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';

const sql = 'test/fixtures/dumps/pg_dump-15.sql';
const scenario = (load: string, more = ''): string =>
  `${more}variants: { A: {}, B: { settings: { work_mem: 8MB } } }\ncontrol: A\nload: ${load}\n`;
const loaded = (text: string) => parseScenario(text, 'mine.yaml');

describe('load.job', () => {
  it('is one slice of one run, and needs no target', () => {
    const { target, load } = loaded(scenario(`{ job: { sql: ${sql} } }`));
    expect(target).toEqual({ kind: 'none', env: {} });
    expect(load).toMatchObject({
      levels: [{ connections: 1, of: 'job' }],
      job: { source: { kind: 'sql', file: resolve(sql) } },
      bounded: { count: 1, limitMs: 600_000 },
    });
  });

  it('runs as often as asked, for as long as it may, on a cold copy, and is checked', () => {
    const check = "check: { sql: 'SELECT count(*) FROM t', equals: 7 }";
    const { load } = loaded(scenario(`{ job: { command: node import.js, repeat: 3, timeout: 5m, ${check} } }`));
    expect(load).toMatchObject({
      job: { source: { kind: 'command', command: 'node import.js', cwd: process.cwd() }, check: { equals: 7 } },
      bounded: { count: 3, limitMs: 300_000 },
    });
    expect(loaded(scenario(`{ job: { sql: ${sql}, cold: true } }`)).load.job).toMatchObject({ cold: true });
  });

  it('differs between variants', () => {
    const { variants } = loaded(
      `variants: { A: { job: { sql: ${sql} } }, B: { job: { command: 'true' } } }\ncontrol: A\nload: { job: {} }\n`,
    );
    expect(variants.map(({ job }) => job?.kind)).toEqual(['sql', 'command']);
  });

  it('runs beside requests', () => {
    const target = 'target: { command: node server.js }\n';
    const requests = 'requests: [{ path: / }]';
    const { load } = loaded(scenario(`{ job: { sql: ${sql} }, connections: 8, ${requests} }`, target));
    expect(load).toMatchObject({
      levels: [{ connections: 8, of: 'beside' }],
      workload: { kind: 'requests', requests: [{ path: '/' }] },
      bounded: { count: 1 },
    });
    const mistaken = (job: string, more: string) => () =>
      loaded(scenario(`{ job: { sql: ${sql}${job} }, ${more} }`, target));
    expect(mistaken('', 'connections: 8')).toThrow('load: expected one of workload, requests, module');
    expect(mistaken('', `connections: [1, 8], ${requests}`)).toThrow('expected one number');
    expect(mistaken(', repeat: 2', `connections: 8, ${requests}`)).toThrow('load.job.repeat does not go with');
    expect(mistaken(', cold: true', `connections: 8, ${requests}`)).toThrow('load.job.cold does not go with');
  });

  it('stands beside a service, and gives its command an environment', () => {
    expect(loaded(scenario(`{ job: { sql: ${sql} } }`, 'target: { command: node server.js }\n')).target.kind).toBe(
      'command',
    );
    expect(loaded(scenario(`{ job: { sql: ${sql} } }`, 'target: { env: { A: b } }\n')).target).toEqual({
      kind: 'none',
      env: { A: 'b' },
    });
  });

  it.each([
    ['{ job: {} }', '"A" has nothing to run: expected sql or command here, or job in each variant'],
    ['{ job: { sql: a.sql, command: b } }', 'load.job: expected one of sql, command, not both sql and command'],
    ['{ job: { sql: no-such.sql } }', 'load.job.sql: there is no file'],
    [`{ job: { sql: ${sql}, cwd: . } }`, 'load.job.cwd belongs to a command'],
    [`{ job: { sql: ${sql}, cold: true, repeat: 2 } }`, 'load.job.repeat'],
    [
      `{ job: { sql: ${sql} }, rate: 4 }`,
      'load.rate does not go with load.job, which runs alone or beside connections',
    ],
    [`{ job: { sql: ${sql} }, requests: [{ path: / }] }`, 'load.requests beside load.job: expected connections too'],
    [
      `{ job: { sql: ${sql} }, connections: 4, requests: [{ path: / }] }`,
      'load.connections beside load.job: expected a target',
    ],
  ])('%s is a mistake', (load, message) => {
    expect(() => loaded(scenario(load))).toThrow(message);
  });

  it('a job of a variant alone, and a scenario without target and job, are mistakes', () => {
    expect(() => loaded('variants: { A: { job: { sql: a.sql } } }\ncontrol: A\nload: { connections: 1 }\n')).toThrow(
      'target is missing',
    );
    const text =
      'target: { url: "http://127.0.0.1:1" }\nvariants: { A: {} }\ncontrol: A\nload: { job: { command: a } }\n';
    expect(() => loaded(text)).toThrow('load.job: a url target has no database of the bench');
  });
});
