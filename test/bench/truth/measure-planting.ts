import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ArmTruth, measureBySockets, measureByWrk } from './arm-truth.ts';
import type { Finished } from './judged.ts';
import type { Planting } from './planting.ts';
import { type Said, sweepPlanting } from './sweep-of.ts';
import type { findWrk } from './wrk.ts';

interface Place {
  /** The bench's. */
  readonly folder: string;
  /** Of each continuous run. */
  readonly seconds: number;
  readonly wrk: Awaited<ReturnType<typeof findWrk>>;
  readonly signal: AbortSignal;
}

/**
 * The truth by sockets, the sweep, the truth by wrk, with the arms in the opposite order: what the machine drifts by meanwhile
 * stands in how far the two are apart.
 */
export async function measurePlanting(planting: Planting, { folder, seconds, wrk, signal }: Place): Promise<Finished> {
  const own = join(folder, planting.name);
  rmSync(own, { recursive: true, force: true });
  const sweep = async (): Promise<Said> => {
    const said = await sweepPlanting(planting, { folder: own, seed: 1, signal });
    console.error(`  swept: ${said.rounds} rounds in ${said.seconds} s, ${said.session}`);
    return said;
  };
  if (planting.kind === 'identical' || planting.change !== undefined) {
    return { planting: planting.name, seconds, truths: {}, said: await sweep() };
  }
  const arms = Object.keys(planting.arms);
  const groups = planting.isTogether ? [arms] : arms.map((arm) => [arm]);
  const place = { folder: own, seconds };
  const bySockets = await inGroups(groups, signal, (arm) => measureBySockets(planting, arm, place));
  const said = await sweep();
  const byWrk =
    wrk === null ? {} : await inGroups(groups.toReversed(), signal, (arm) => measureByWrk(wrk, planting, arm, place));
  const truths = Object.fromEntries(
    Object.entries(bySockets).map(([arm, truth]): [string, ArmTruth] => {
      const values = byWrk[arm];
      return [arm, values === undefined ? truth : { ...truth, sources: { ...truth.sources, wrk: values } }];
    }),
  );
  for (const [arm, truth] of Object.entries(truths)) console.error(`  ${arm}: ${valuesText(truth)}`);
  return { planting: planting.name, seconds, truths, said };
}

/** What is found of each arm: group after group, the arms of a group at once. */
async function inGroups<T>(
  groups: readonly (readonly string[])[],
  signal: AbortSignal,
  find: (arm: string) => Promise<T>,
): Promise<Record<string, T>> {
  const found: Record<string, T> = {};
  for (const arms of groups) {
    signal.throwIfAborted();
    for (const [arm, value] of await Promise.all(arms.map(async (arm) => [arm, await find(arm)] as const))) {
      found[arm] = value;
    }
  }
  return found;
}

function valuesText({ sources }: ArmTruth): string {
  const told = Object.entries(sources).map(([source, values]) => {
    const all = Object.values(values).map((value) => value?.toFixed(1) ?? '-');
    return `${source} ${all.join(' ')}`;
  });
  return `2xx/s, mean, p95, p99 ms by ${told.join(', ')}`;
}
