import { expect } from 'vitest';
import { PgsweepError } from '../../src/base/errors.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';

/** What a scenario needs besides title and target. */
export const rest = 'control: A\nvariants: { A: {}, B: {} }\nload: { connections: 1, workload: get-schools }\n';

/** The mistakes of a scenario, each with line and column, without the file's name, which ends in mine.yaml. */
export function mistakes(text: string, file = 'mine.yaml'): string[] {
  try {
    parseScenario(text, file);
  } catch (error) {
    if (!(error instanceof PgsweepError)) throw error;
    expect(error.exitCode).toBe(2);
    return error.message.split('\n').map((line) => line.replace(/^.*mine\.yaml:/, ''));
  }
  return [];
}
