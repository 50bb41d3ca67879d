import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { areOneProcess } from '../../src/journal/variant-parts.ts';
import { blockTurns } from '../../src/measure/plan/turn-blocks.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';
import { mistakes } from './scenario-text.ts';

/** A scenario of four lines: what varies stands in the third. */
const swept = (sweep: string, control: string, { target = 'command: node s.js', load = '', more = '' } = {}): string =>
  `title: x\ntarget: { ${target} }\nsweep: ${sweep}\ncontrol: ${control}\nload: { connections: 1, requests: [{ path: / }]${load} }\n${more}`;
const named = (variants: string, target = 'command: node s.js'): string =>
  `title: x\ntarget: { ${target} }\nvariants: ${variants}\ncontrol: A\nload: { connections: 1, requests: [{ path: / }] }\n`;

const POOL = '{ live: { request: { path: /pool, body: { max: "${level}", note: "to ${level}" } } }, levels: [10, 25] }';

describe('settings that are switched live', () => {
  it('have the level in their requests, a number as a number', () => {
    const scenario = parseScenario(swept(`{ pool: ${POOL} }`, '{ pool: 10 }'), 'mine.yaml');
    expect(areOneProcess(scenario)).toBe(true);
    expect(scenario.variants.map(({ name, env, live }) => [name, env, live?.reconnect, live?.requests])).toEqual(
      [10, 25].map((max) => [
        `pool=${max}`,
        {},
        false,
        [{ method: 'PUT', path: '/pool', headers: {}, body: { max, note: `to ${max}` } }],
      ]),
    );
    expect(scenario.load.settleMs).toBe(100);
  });

  it('join the switches of all factors; new sessions are opened where one of them needs it', () => {
    const sweep = `{ pool: ${POOL}, commit: { live: { setting: synchronous_commit }, levels: [on, off] }, ix: { live: { hideIndex: ix_a }, levels: [shown, hidden] } }`;
    const { variants, load } = parseScenario(swept(sweep, '{ pool: 10, commit: on, ix: shown }'), 'mine.yaml');
    expect(variants).toHaveLength(8);
    expect(variants.at(-1)?.live).toMatchObject({
      settings: [{ name: 'synchronous_commit', value: 'off', place: 'database' }],
      indexes: [{ name: 'ix_a', hidden: true }],
      reconnect: true,
    });
    expect(load.settleMs).toBe(250);
  });

  it('that one named variant has are set back for the others', () => {
    const text = named('{ A: {}, B: { live: { settings: { wal_writer_delay: 1s }, hideIndex: ix_a } } }');
    const { variants } = parseScenario(text, 'mine.yaml');
    expect(variants.map(({ live }) => [live?.settings, live?.indexes])).toEqual([
      [[{ name: 'wal_writer_delay', value: null, place: 'server' }], [{ name: 'ix_a', hidden: false }]],
      [[{ name: 'wal_writer_delay', value: '1s', place: 'server' }], [{ name: 'ix_a', hidden: true }]],
    ]);
  });

  it.each([
    [
      'an environment variable',
      `{ pool: ${POOL}, lock: { env: LOCK, levels: [a] } }`,
      '{ pool: 10, lock: a }',
      /^3:\d+: lock \(LOCK\) cannot be switched live .*: a process reads its environment when it starts$/,
    ],
    [
      'a setting that Postgres reads as it starts',
      '{ mem: { live: { setting: shared_buffers }, levels: [1GB] } }',
      '{ mem: 1GB }',
      /^3:25: shared_buffers cannot be switched live: Postgres reads it when it starts/,
    ],
    [
      'a setting that is none',
      '{ mem: { live: { setting: wrok_mem }, levels: [1MB] } }',
      '{ mem: 1MB }',
      /^3:25: unknown setting "wrok_mem".*did you mean "work_mem"/,
    ],
    [
      'a level of a hidden index that is none',
      '{ ix: { live: { hideIndex: a }, levels: [shown, gone] } }',
      '{ ix: shown }',
      /^3:56: level gone of a hidden index: expected shown, hidden/,
    ],
    [
      'a request that is the same for all levels',
      '{ p: { live: { request: { path: /p } }, levels: [1, 2] } }',
      '{ p: 1 }',
      /^3:\d+: sweep\.p\.live: expected \$\{level\} somewhere/,
    ],
    [
      'nothing to do',
      '{ p: { live: {}, levels: [1, 2] } }',
      '{ p: 1 }',
      /^3:\d+: sweep\.p\.live: expected one of request, sql, setting, hideIndex/,
    ],
    [
      'a factor in two ways',
      '{ p: { env: P, live: { setting: work_mem }, levels: [1MB] } }',
      '{ p: 1MB }',
      /not both env and live/,
    ],
  ])('cannot be %s', (_, sweep, control, expected) => {
    expect(mistakes(swept(sweep, control)).join('\n')).toMatch(new RegExp(expected.source, 'm'));
  });

  it.each([
    [
      'env',
      '{ A: { live: {} }, B: { env: { X: 1 } } }',
      /^3:\d+: B: env cannot be switched live like the other variants: a process reads/,
    ],
    [
      'a dropped index',
      '{ A: { live: {} }, B: { dropIndex: ix_a } }',
      /B: dropIndex cannot be switched live .* would have to be built again/,
    ],
    [
      'another Postgres',
      '{ A: { live: {} }, B: { postgres: { version: 17 } } }',
      /B: postgres cannot be switched live .* another server/,
    ],
    [
      'settings beside live',
      '{ A: { live: {} }, B: { settings: { work_mem: 1MB } } }',
      /B: settings cannot .*expected live: \{ settings/,
    ],
    [
      'a request that no other undoes',
      '{ A: { live: {} }, B: { live: { request: { path: /x } } } }',
      /^3:\d+: A has no live\.request, so nothing would undo that of B/,
    ],
  ])('cannot be, of named variants, %s', (_, variants, expected) => {
    expect(mistakes(named(variants)).join('\n')).toMatch(new RegExp(expected.source, 'm'));
  });

  it("need the database to be the bench's, where they are of it", () => {
    const text = swept('{ c: { live: { setting: work_mem }, levels: [1MB] } }', '{ c: 1MB }', {
      target: "url: 'http://127.0.0.1:1'",
    });
    expect(mistakes(text).join('\n')).toMatch(/setting cannot be switched live with a url target/);
    expect(mistakes(swept(`{ pool: ${POOL} }`, '{ pool: 10 }', { target: "url: 'http://127.0.0.1:1'" }))).toEqual([]);
  });

  it('of the document service need its admin endpoint', () => {
    const sweep =
      '{ pool: { live: { request: { path: /admin/settings, body: { poolMax: "${level}" } } }, levels: [1, 2] } }';
    const text = swept(sweep, '{ pool: 1 }', { target: 'service: documents' });
    expect(mistakes(text)).toEqual(['3:26: /admin/settings is answered only with target: { env: { ADMIN: on } }']);
    expect(mistakes(text.replace('documents', 'documents, env: { ADMIN: on }'))).toEqual([]);
    expect(
      mistakes(
        swept('{ c: { live: { setting: jit }, levels: [on] } }', '{ c: on }', { target: 'service: documents' }),
      ).join(),
    ).toMatch(/the setting jit cannot vary with the document service/);
  });

  it('have turns, and four starts at least', () => {
    const text = (load: string, more = ''): string => swept(`{ pool: ${POOL} }`, '{ pool: 10 }', { load, more });
    expect(mistakes(text(', turn: off')).join()).toMatch(/load\.turn: settings that are switched live have turns/);
    expect(mistakes(text('', 'rounds: { max: 3 }\n')).join()).toMatch(
      /rounds\.max: switched live, there are at least 4 starts/,
    );
    expect(mistakes(text(', settle: 300ms'))).toEqual([]);
    expect(mistakes(swept('{ p: { env: P, levels: [1] } }', '{ p: 1 }', { load: ', settle: 300ms' })).join()).toMatch(
      /load\.settle: expected only where factors or variants are switched live/,
    );
  });
});

describe('docs/stacks.md', () => {
  it('shows scenarios that are switched live as they may be written', () => {
    const [, section = ''] = /^## Switched live\n([\s\S]+?)^## /m.exec(readFileSync('docs/stacks.md', 'utf8')) ?? [];
    const examples = [...section.matchAll(/```yaml\n([\s\S]+?)```/g)];
    expect(examples).toHaveLength(2);
    for (const [, text = ''] of examples) expect(areOneProcess(parseScenario(text, 'mine.yaml'))).toBe(true);
  });
});

describe('turns after a switch', () => {
  it('are two an arm in every block, and no shorter than what is not counted of them', () => {
    for (const [sliceMs, settleMs, latencyMs, arms] of [
      [3000, 100, 1, 3],
      [3000, 250, 1, 3],
      [2000, 100, 30, 5],
      [1000, 250, 2000, 4],
    ] as const) {
      const { turnMs, turnsPerArm } = blockTurns({ sliceMs, settleMs, turn: 'auto' }, { latencyMs }, arms);
      expect(turnsPerArm % 2).toBe(0);
      expect(turnMs * turnsPerArm).toBeCloseTo(sliceMs);
      expect(turnMs).toBeGreaterThanOrEqual(settleMs);
    }
  });
});
