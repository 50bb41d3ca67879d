import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PgsweepError } from '../../../../src/base/errors.ts';
import type { LoadSpec } from '../../../../src/journal/scenario-record.ts';
import { loadScenario } from '../../../../src/scenario/load-scenario.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-k6-'));
  writeFileSync(join(folder, 'load.k6.js'), 'export default function () {}');
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(load: string, variants = 'A: {}, B: { env: { X: 1 } }'): LoadSpec {
  const file = join(folder, 'scenario.yaml');
  writeFileSync(file, `target: { command: node server.js }\nvariants: { ${variants} }\ncontrol: A\nload: ${load}\n`);
  return loadScenario(file).load;
}

function mistake(load: string, variants?: string): string {
  try {
    read(load, variants);
  } catch (error) {
    if (error instanceof PgsweepError && error.code === 'scenario') return error.message;
    throw error;
  }
  throw new Error('expected a mistake');
}

describe('load.k6', () => {
  it('has users, in whole slices', () => {
    expect(read('{ k6: load.k6.js, users: [5, 50], slice: 20s }')).toMatchObject({
      levels: [{ users: 5 }, { users: 50 }],
      workload: {
        kind: 'k6',
        script: join(folder, 'load.k6.js'),
        exec: 'default',
        env: {},
        urlVariable: 'BASE_URL',
        tokenVariable: 'TOKEN',
      },
      sliceMs: 20_000,
    });
  });

  it('has a rate of iterations, by so many users', () => {
    const long = '{ script: load.k6.js, exec: browse, env: { TENANT: 7 }, urlVariable: TARGET, tokenVariable: KEY }';
    expect(read(`{ k6: ${long}, rate: 0.5, inFlight: 30 }`)).toMatchObject({
      levels: [{ rate: 0.5, of: 'iterations' }],
      openLoop: { arrivals: 'constant', inFlight: 30 },
      workload: { exec: 'browse', env: { TENANT: '7' }, urlVariable: 'TARGET', tokenVariable: 'KEY' },
    });
    const inFlight = (rate: string) => read(`{ k6: load.k6.js, rate: ${rate} }`).openLoop?.inFlight;
    expect(['[1, 5]', '[50, 100]', '4000'].map(inFlight)).toEqual([20, 100, 500]);
  });

  const wrong: readonly (readonly [string, RegExp])[] = [
    ['{ k6: load.k6.js }', /load\.k6: expected load\.users or load\.rate/],
    ['{ k6: nothing.js, users: 5 }', /load\.k6: there is no file .*nothing\.js/],
    [
      '{ k6: load.k6.js, connections: 5 }',
      /load\.connections is not for load\.k6: .* expected load\.users or load\.rate/,
    ],
    ['{ k6: load.k6.js, users: 5, rate: 5 }', /expected one of users, rate/],
    ['{ k6: load.k6.js, users: [5, 5] }', /load level 5 stands twice/],
    ['{ k6: load.k6.js, users: 5, turn: 500ms }', /load\.turn is not for load\.k6/],
    ['{ k6: load.k6.js, users: 5, requests: [{ path: / }] }', /expected one of .*k6.*, not both requests and k6/],
    ['{ k6: { script: load.k6.js, env: { K6_VUS: 7 } }, users: 5 }', /K6_VUS would be an option of k6's/],
    ['{ k6: { scrpt: load.k6.js }, users: 5 }', /script/],
  ];
  it.each(wrong)('%s is a mistake', (load, message) => {
    expect(mistake(load)).toMatch(message);
  });

  it('is not for settings that are switched live', () => {
    const live = 'A: { live: { request: { path: /a } } }, B: { live: { request: { path: /b } } }';
    expect(mistake('{ k6: load.k6.js, users: 5 }', live)).toMatch(/load\.k6: settings that are switched live/);
  });
});
