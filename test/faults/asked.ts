import { parseArgs } from 'node:util';
import { type Asked, askedOf, listOf, Unasked } from '../support/asked.ts';
import { type PartName, partNames } from './pieces.ts';

const about: Readonly<Record<PartName, string>> = {
  journals: 'reports of journals that are damaged',
  scenarios: 'scenarios that are wrong',
  numbers: 'numbers that no double holds, on their way into requests',
  sql: 'SQL files that psql loads or refuses',
  names: 'reports of runs whose names are hostile',
  sweeps: 'sweeps of such runs',
  disks: 'runs whose disk has no room left',
  kills: 'processes of a run that are killed',
  against: 'sweeps against a commit that are killed',
  elsewhere: 'services that a file leads to another database',
};

const usage = `npm run test:faults -- [--short | --long] [--part NAME] [--seed 1] [--count N] [--record FILE] [--minutes N]

Tries at random what must not happen whatever is broken: 20 minutes. Exit code 1 where it happens.

  --short        less of everything: a minute
  --long         more of everything: two hours
  --part NAME    this part alone, see below
  --seed TEXT    the same seed tries the same (1)
  --count N      so many of everything
  --record FILE  keeps there what was tried, and does not try it again
  --minutes N    begins nothing after this time
  --help         this text

Parts:
${listOf(about)}`;

export interface AskedFaults {
  readonly size: 'short' | 'usual' | 'long';
  readonly seed: string;
  readonly part?: PartName;
  readonly count?: number;
  readonly record?: string;
  readonly minutes: number;
}

/** What to try. */
export function askedFaults(args: readonly string[]): Asked<AskedFaults> {
  return askedOf(usage, (): AskedFaults & { readonly help?: boolean | undefined } => {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        short: { type: 'boolean', default: false },
        long: { type: 'boolean', default: false },
        seed: { type: 'string', default: '1' },
        part: { type: 'string' },
        count: { type: 'string' },
        record: { type: 'string' },
        minutes: { type: 'string' },
      },
    });
    const { help, short, long, seed, count, record, minutes } = values;
    const part = partNames.find((name) => name === values.part);
    if (values.part !== undefined && part === undefined) throw new Unasked(`There is no part ${values.part}.`);
    return {
      help,
      size: short ? 'short' : long ? 'long' : 'usual',
      seed,
      ...(part !== undefined && { part }),
      ...(count !== undefined && { count: numberOf('count', count) }),
      ...(record !== undefined && { record }),
      minutes: minutes === undefined ? Number.POSITIVE_INFINITY : numberOf('minutes', minutes),
    };
  });
}

function numberOf(name: string, text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new Unasked(`--${name} ${text}: expected a number.`);
}
