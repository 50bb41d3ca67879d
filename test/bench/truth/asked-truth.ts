import { parseArgs } from 'node:util';
import { type Asked, askedOf, listOf, Unasked } from '../../support/asked.ts';
import type { Planting } from './planting.ts';
import { allPlantings, isQuick, shortened } from './plantings.ts';

const SECONDS = { full: 60, quick: 10 };

const usage = (all: readonly Planting[]): string => `npm run bench:truth -- [options]

Sweeps services whose truth is known, and prints a table of what pgsweep says beside it. Exit code 1 where too little holds. Stopped and
started again it continues with the next planting.

  --quick         a handful of plantings and four short rounds each, twenty minutes
  --only NAME     this planting alone; may be given several times
  --again         measure anew what the folder has
  --seconds N     of each continuous run; default ${SECONDS.full}, with --quick ${SECONDS.quick}
  --folder DIR    for results; default results/bench-truth, with --quick results/bench-truth-quick
  --docs          write the table of all plantings into research/measuring.md
  --list          print the names of the plantings
  --help          this text

${listOf(Object.fromEntries(all.map(({ name, about }) => [name, about])))}`;

/** What the bench of the truth is asked for. */
export interface AskedTruth {
  readonly plantings: readonly Planting[];
  /** Of each continuous run. */
  readonly seconds: number;
  readonly folder: string;
  readonly again: boolean;
  readonly docs: boolean;
}

/** Reads the bench's command line. */
export function askedTruth(args: readonly string[]): Asked<AskedTruth> {
  const all = allPlantings();
  return askedOf(usage(all), () => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        again: { type: 'boolean', default: false },
        seconds: { type: 'string' },
        folder: { type: 'string' },
        docs: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const { quick, only, again, docs, list } = values;
    const unknown = only.find((name) => all.every((planting) => planting.name !== name));
    if (unknown !== undefined) throw new Unasked(`There is no planting ${unknown}.`);
    if (docs && (quick || only.length > 0)) throw new Unasked('--docs is for a run of all plantings.');
    const seconds = Number(values.seconds ?? SECONDS[quick ? 'quick' : 'full']);
    if (!(seconds >= 6)) throw new Unasked('--seconds has to be a number of at least 6.');
    const chosen = all.filter((planting) =>
      only.length > 0 ? only.includes(planting.name) : !quick || isQuick(planting),
    );
    return {
      plantings: quick ? chosen.map(shortened) : chosen,
      seconds,
      folder: values.folder ?? `results/bench-truth${quick ? '-quick' : ''}`,
      again,
      docs,
      help: values.help || list,
    };
  });
}
