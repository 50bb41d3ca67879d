import { join, resolve } from 'node:path';
import { Command } from 'commander';
import type { ExitCode } from '../../base/errors.ts';
import { removeUnfinished } from '../../base/files/atomic-file.ts';
import { defaultRunFolder } from '../../measure/run/run-folder.ts';
import type { Io } from '../io.ts';
import { boundedThread } from '../report/bounded-thread.ts';
import { type GateOptions, withGateOptions } from '../report/gate-option.ts';
import { type StyleOption, withStyleOption } from '../report/style-option.ts';
import { applyShare, type ShareOption, withShareOption } from '../share.ts';
import type { AskedMerge, MergeInThread } from './merge-at.ts';

interface MergeOptions extends ShareOption, GateOptions, StyleOption {
  readonly out?: string;
  readonly full?: boolean;
  readonly json?: boolean;
  readonly limits: boolean;
}

const EXAMPLES = `
A shard is a run of pgsweep sweep --shard 3/8. Shards of one plan have the same scenario, seed, data and code. pgsweep
refuses other runs, and names them. It compares rounds within their machine, and judges all of them together. If shards
are missing, it judges the others.

Examples:
  pgsweep merge shards/*
  pgsweep merge shards/* --out results/eight-machines
  pgsweep merge shard-1 shard-2 shard-3 --gate 'rps > -5%'
  pgsweep merge shards/* --json > summary.json`;

export function mergeCommand(io: Io, finish: (code: ExitCode) => void): Command {
  return withGateOptions(withStyleOption(withShareOption(new Command('merge'))))
    .argument('<runs...>', 'run folders of shards, or their journals')
    .option('--out <dir>', 'run folder (default: results/merged-TIME)')
    .option('--full', 'print all tables, not only the first screen')
    .option('--json', 'print the summary as JSON')
    .option('--no-limits', 'allow more than a minute of CPU time and 1 GB of memory; only for your own runs')
    .addHelpText('after', EXAMPLES)
    .action(async (runs: readonly string[], options: MergeOptions) => {
      applyShare(options);
      const { gateChoice } = await import('../report/gates.ts');
      const { json = false, full = false, style } = options;
      const out = resolve(options.out ?? defaultRunFolder('merged', new Date()));
      const asked: AskedMerge = { runs, out, json, full, style, gates: gateChoice(options) };
      if (options.limits) finish(await boundedMerge(asked, io));
      else finish(await (await import('./merge-at.ts')).mergeAt(asked, io));
    });
}

function boundedMerge(merge: AskedMerge, io: Io): Promise<ExitCode> {
  const asked: MergeInThread = { ...merge, outColour: io.outColour, outWidthColumns: io.outWidthColumns };
  const onKilled = (): void => {
    for (const own of ['.', 'charts', 'samples']) removeUnfinished(join(merge.out, own));
  };
  return boundedThread({ command: 'merge', asked }, { doing: 'merging these runs', onKilled }, io);
}
