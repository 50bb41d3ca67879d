import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../../src/measure/run/events.ts';
import { openStack, resumedChoice } from '../../../../src/measure/run/servers/session-stack.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';

const scenario = (stack: string, variant = '{}') =>
  parseScenario(
    `title: stacks
target: { service: documents }
variants: { A: {}, B: ${variant} }
control: A
load: { connections: 1, workload: get-schools }
stack: ${stack}
`,
    'stacks.yaml',
  );

describe('a run that goes on', () => {
  it('keeps its stack where nobody says', () => {
    expect(resumedChoice({ kind: 'auto' }, { stack: 'docker' })).toEqual({ kind: 'docker' });
    expect(resumedChoice({ kind: 'embedded' }, { stack: 'embedded' })).toEqual({ kind: 'embedded' });
    // Of a service that somebody else has started.
    expect(resumedChoice({ kind: 'auto' }, { stack: 'none' })).toEqual({ kind: 'auto' });
  });

  it('does not change it', () => {
    expect(() => resumedChoice({ kind: 'docker' }, { stack: 'embedded' })).toThrow(
      'the run began with the stack embedded, and cannot be resumed with docker',
    );
    expect(() => resumedChoice({ kind: 'auto' }, { stack: 'external' })).toThrow('began with the stack external');
  });
});

describe('the stack that is chosen', () => {
  it('is said first, then what it cannot do', async () => {
    const events: RunEvent[] = [];
    const asked = scenario('{ postgres: { cpuset: "0" }, opensearch: { memory: 1g } }');
    await openStack(asked, { kind: 'embedded' }, (event) => events.push(event));
    expect(events).toEqual([
      { kind: 'preparing', message: 'stack: embedded (asked for)' },
      {
        kind: 'warning',
        warning: {
          kind: 'limits-ignored',
          keys: ['stack.postgres.cpuset', 'stack.opensearch.memory'],
          stack: 'embedded',
        },
      },
    ]);
  });

  it.each([
    ['a version', '{ postgres: { version: 17 } }', '{}', 'stack.postgres.version'],
    ['a setting', '{ postgres: { settings: { work_mem: 8MB } } }', '{}', 'stack.postgres.settings.work_mem'],
    ['a server of its own', '{}', '{ postgres: { version: 15 } }', 'its own server for some variant'],
    ['sql that is undone', '{}', '{ sql: { apply: SELECT 1, undo: SELECT 2 } }', 'its own server for some variant'],
    ['an OpenSearch of a version', '{ opensearch: { version: 2.19.6 } }', '{}', 'stack.opensearch.version'],
  ])('cannot be external with %s', async (_, stack, variant, asked) => {
    const opening = openStack(scenario(stack, variant), { kind: 'external' }, () => {});
    await expect(opening).rejects.toThrow(`the scenario asks for ${asked}`);
  });
});

describe('an external server whose certificate is to name it', () => {
  const open = (address: string, variant: string) =>
    openStack(scenario('{}', variant), { kind: 'external', postgresUrl: `postgres://me@${address}` }, () => {});
  const far = '{ distance: { rtt: 1ms } }';

  it.each(['db.test/x?sslmode=verify-full', 'db.test/x?sslmode=require', 'db.test/x?ssl=true'])(
    'cannot be at a distance: %s',
    async (address) => {
      await expect(open(address, far)).rejects.toMatchObject({
        code: 'stack',
        message: expect.stringMatching(
          /^with ssl\S+ the certificate must name 127\.0\.0\.1, .*"B" is made, instead of db\.test$/,
        ),
        hint: expect.stringContaining('sslmode=require&uselibpqcompat=true'),
      });
    },
  );

  it.each([
    ['where the name is not checked', 'db.test/x?sslmode=require&uselibpqcompat=true', far],
    ['where nothing is encrypted', 'db.test/x', far],
    ['where nothing is at a distance', 'db.test/x?sslmode=verify-full', '{}'],
    ['on this machine', '127.0.0.1/x?sslmode=verify-full', far],
    [
      'where a pooler goes to it',
      'db.test/x?sslmode=verify-full',
      '{ distance: { rtt: 1ms }, pooler: { pgbouncer: { mode: transaction, size: 2 } } }',
    ],
  ])('is used %s', async (_, address, variant) => {
    expect((await open(address, variant)).kind).toBe('external');
  });
});

describe('beside a service that already runs', () => {
  const running = (stack: string) =>
    parseScenario(
      `title: running
target: { url: 'http://127.0.0.1:1' }
variants: { A: {}, B: { url: 'http://127.0.0.1:2' } }
control: A
load: { connections: 1, requests: [{ path: / }] }
stack: ${stack}
`,
      'running.yaml',
    );
  const open = (stack: string, openSearchUrl?: string) =>
    openStack(running(stack), { kind: openSearchUrl === undefined ? 'auto' : 'external', openSearchUrl }, () => {});

  it('nothing is started', async () => {
    expect((await open('{ opensearch: off }')).kind).toBe('embedded');
    await expect(open('{ opensearch: on }')).rejects.toMatchObject({
      code: 'scenario',
      message: 'stack.opensearch is on, and a service that already runs is given no OpenSearch',
      hint: expect.stringContaining('--opensearch URL'),
    });
    await expect(open('{ postgres: { version: 17 } }')).rejects.toThrow(
      'the scenario asks for stack.postgres.version, and the service already runs, with its own servers',
    );
  });

  it('an OpenSearch that is named can be watched, as it is', async () => {
    expect((await open('{ opensearch: on }', 'http://127.0.0.1:9')).kind).toBe('external');
    const asked = open('{ opensearch: { version: 2.19.6 } }', 'http://127.0.0.1:9');
    await expect(asked).rejects.toThrow('the scenario asks for stack.opensearch.version');
  });
});
