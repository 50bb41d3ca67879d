import { parseArgs } from 'node:util';
import { type Asked, askedOf, listOf, Unasked } from '../support/asked.ts';
import type { WantedSessions } from './arms/run-sessions.ts';

/** What each bench is about, and how long it takes where that is known, in the order in which they run. */
export const benchNames = {
  quiet: 'the tests that need a quiet machine: test/bench/quiet',
  load: 'both engines against autocannon by hand, and against a bare socket',
  quantiles: 'its latencies against those of bare sockets, quantile by quantile',
  users: 'memory and activity of a thousand users with pauses; a minute',
  capacity: '20 searches for what a queue bears, whose truth theory knows; an hour or more',
  history: 'plain steps, small ones and noise in simulated histories; ten minutes',
  sweep: 'how many rounds ten minutes have, how much of them is load; two rounds, three minutes',
  turns: 'turns against whole slices: a planted change, and the same against the same',
  live: 'planted changes of 5 % that are switched live, found within three minutes each; 11 minutes',
  github: 'pull requests against their bases, by the steps of the example workflow; 6 minutes',
  probes: 'what probes cost, in requests/s; up to an hour',
  'bulk-load': 'a data set by the built-in service, against pgbench running its statements',
  'index-and-lock': 'nine variants of a bulk load within their budget; 10 minutes',
  against: 'a branch against main: a new query, 5 % more work, nothing; up to two hours',
  strangers:
    'an import, a report query and a migration beside load, each against a program that times it alone; needs psql; half an hour',
  instances: 'too many instances for Postgres are named before anything starts; seconds',
  start: 'command line, sample service and load generator are there in under 0.4 s; seconds',
  stack: 'the time until there is a Postgres, and a copy of a large data set',
  docker: 'requests/s with Postgres in a container, of those with one that is embedded',
  machines: 'simulated sessions on several machines, judged as a journal is',
  distance: 'how far away a database is that is to be 0.5, 1 and 2 ms away',
  'distance-pools': 'the smallest good pool beside the database and 2 ms away; 16 minutes',
  decisions: 'the default sweep, live, ten times; 80 to 100 minutes',
  'tail-decisions': 'a p99 that differs where the mean does not, live, five times; up to 50 minutes',
  tails: 'simulated sessions whose percentiles are known: intervals and false alarms; ten minutes',
  tune: 'simulated searches for the best setting, beside other ways to search; an hour',
  'tune-live': 'live searches for a pool whose best is known, alone and beside a neighbour; 100 minutes',
  judge: 'time and memory to judge journals of 50,000 slices',
  report: 'time and memory of all reports of a large run',
  'large-edfi': 'the memory to read a gigabyte of Ed-Fi XML',
  arms: 'what stays with one of five identical arms; by its name alone: twelve sessions and three default sweeps, three hours',
} as const;

export type BenchName = keyof typeof benchNames;

const usage = `npm run bench -- [NAME...]

Measures the bench itself against its goals, all of them in some hours; it wants a quiet machine. Exit code 1 where one is missed.

${listOf(benchNames)}

  --help        this text

Arms and decisions continue where they were stopped, with the same default sweeps:

  --folder DIR  for their runs; default results/bench-arms

Of arms:

  --sessions N  of identical arms; default 12, and 0 to look only at what the folder has
  --rounds N    of each; default 6
  --defaults N  default sweeps beside them; default 3`;

export interface AskedBenches {
  readonly names: readonly BenchName[];
  readonly arms: WantedSessions;
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new Unasked(`${option} has to be a whole number.`);
  return Number(text);
}

/** The benches to run: those that are named, else all but that of arms. */
export function askedBenches(args: readonly string[]): Asked<AskedBenches> {
  return askedOf(usage, () => {
    const options = {
      folder: { type: 'string', default: 'results/bench-arms' },
      sessions: { type: 'string', default: '12' },
      rounds: { type: 'string', default: '6' },
      defaults: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const unknown = positionals.find((name) => !Object.hasOwn(benchNames, name));
    if (unknown !== undefined) throw new Unasked(`There is no bench ${unknown}.`);
    const all = Object.keys(benchNames) as BenchName[];
    const { help, folder } = values;
    const [sessions, rounds] = [wholeNumber('--sessions', values.sessions), wholeNumber('--rounds', values.rounds)];
    const defaults = wholeNumber('--defaults', values.defaults ?? (sessions === 0 ? '0' : '3'));
    const names = all.filter((name) => (positionals.length === 0 ? name !== 'arms' : positionals.includes(name)));
    return { help, names, arms: { folder, sessions, rounds, defaults } };
  });
}
