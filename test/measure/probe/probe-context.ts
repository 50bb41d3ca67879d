import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AbsentProbe, LoadTimes, Probe, ProbeContext, ProbedArm } from '../../../src/measure/probe/probe.ts';
import type { ProbeWarning } from '../../../src/measure/probe/probe-warning.ts';

export interface TestContext extends ProbeContext {
  readonly warnings: ProbeWarning[];
  /** The rows of a probe's samples, the head first. */
  samples(name: string): string[][];
  remove(): void;
}

/** A context without a database, whose samples go to a folder of its own. */
export function testContext(changes: Partial<ProbeContext> = {}): TestContext {
  const samplesFolder = mkdtempSync(join(tmpdir(), 'pgsweep-probe-'));
  const warnings: ProbeWarning[] = [];
  return {
    postgres: null,
    generatorPid: process.pid,
    samplesFolder,
    onWarning: (warning) => warnings.push(warning),
    ...changes,
    warnings,
    samples: (name) =>
      readFileSync(join(samplesFolder, `${name}.csv`), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(',')),
    remove: () => rmSync(samplesFolder, { recursive: true }),
  };
}

/** Under load from its beginning to its end, as an arm that is alone in its pass. */
export function wholeLoad(loadMs = 1000): LoadTimes {
  const nowMs = performance.timeOrigin + performance.now();
  return { loadMs, passMs: loadMs, turns: [{ fromMs: nowMs - loadMs, toMs: nowMs }] };
}

export function testArm(changes: Partial<ProbedArm> = {}): ProbedArm {
  return {
    round: 2,
    slice: 3,
    arm: 'pool=10',
    database: null,
    url: 'http://127.0.0.1:9',
    pid: process.pid,
    underLoad: () => true,
    ...changes,
  };
}

export function present(opened: Probe | AbsentProbe): Probe {
  if ('absent' in opened) throw new Error(`${opened.name}: ${opened.absent}`);
  return opened;
}
