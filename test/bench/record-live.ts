/**
 * Records what five identical arms answer: each a process and a database of its own in every round, and then as settings
 * of one process, between which it is switched live. `npm run bench:ablation` holds them against each other. It wants a
 * quiet machine for half an hour.
 *
 *   node --import ./src/base/typescript.mjs test/bench/record-live.ts [rounds, at least 4] [file]
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Journal, readJournal } from '../../src/journal/journal.ts';
import type { RoundRecord, SliceRecord } from '../../src/journal/records.ts';
import { runLive } from '../support/live-run.ts';
import { LIVE_AND_STARTS, type RecordedRound } from './recorded-live.ts';

const modes = {
  starts: `variants:
  a: { env: { LABEL: a } }
  b: { env: { LABEL: b } }
  c: { env: { LABEL: c } }
  d: { env: { LABEL: d } }
control: a`,
  live: `sweep:
  nothing: { live: { sql: "SELECT '\${level}'" }, levels: [a, b, c, d] }
control: { nothing: a }`,
} as const;

/** Four seconds an arm at each load level, as in the recordings of turns. The arms differ in nothing that matters. */
function scenario(mode: keyof typeof modes, rounds: number): string {
  return `
title: Five identical arms, ${mode}
target: { service: documents }
dataset: { template: partial-grand-bend, documents: 2000, seed: 1 }
${modes[mode]}
load: { connections: [1, 25, 50], workload: upsert-schools, slice: 4s, turn: 250ms }
rounds: { min: ${rounds}, max: ${rounds} }
budget: ${3 * rounds}m
probes: { all: off }
`;
}

function recorded(mode: keyof typeof modes, { records }: Journal): RecordedRound[] {
  const all = [...records];
  const slices = all.filter((record): record is SliceRecord => record.type === 'slice');
  const ends = all.filter((record): record is RoundRecord => record.type === 'round');
  return ends.map(({ round, durationMs, onceMs = 0 }) => {
    const rates: Record<string, number[]> = {};
    for (const { load, arm, windowMs, latency } of slices
      .filter((slice) => slice.round === round)
      .sort((a, b) => (a.arm < b.arm ? -1 : 1))) {
      if (!('connections' in load)) throw new Error(`arm ${arm} is loaded by something else than connections`);
      const level = String(load.connections);
      rates[level] = [...(rates[level] ?? []), (1000 * latency.count) / windowMs];
    }
    return { mode, round, seconds: Math.round((durationMs - onceMs) / 1000), rates };
  });
}

const [rounds = '8', file = LIVE_AND_STARTS] = process.argv.slice(2);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, '');
for (const mode of ['starts', 'live'] as const) {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-record-'));
  try {
    const text = scenario(mode, Number(rounds));
    const folder = await runLive(
      { text, file: 'test/bench/record-live.yaml', path },
      {
        decideStop: (round) => {
          console.error(`${mode}: round ${round} of ${rounds}`);
          return { stop: false, undecided: 1 };
        },
      },
    );
    for (const line of recorded(mode, readJournal(folder.journal))) appendFileSync(file, `${JSON.stringify(line)}\n`);
  } finally {
    rmSync(path, { recursive: true });
  }
}
