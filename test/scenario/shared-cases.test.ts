import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load-scenario.ts';

/** Inputs that failed once. Fixtures of our own stand for each kind where these are not. */
const CASES = process.env.PGSWEEP_CASES ?? resolve('../shared/cases');

describe.skipIf(!existsSync(CASES))('services of ../shared/cases', () => {
  it.each([
    ['bigint.yaml', ['9007199254740997', '9007199254740999']],
    ['bigyaml.yaml', ['9007199254740997']],
    ['cluster.yaml', []],
    ['deadlock.yaml', []],
    ['dotenv-live.yaml', []],
    ['pooltimeout.yaml', []],
  ])('%s can be loaded, and keeps all digits of its numbers', (file, numbers) => {
    const { target, load } = loadScenario(join(CASES, 'services', file));
    expect(target.kind).toBe('command');
    const sent = JSON.stringify(load.workload);
    expect(numbers.filter((number) => !sent.includes(number))).toEqual([]);
  });
});
