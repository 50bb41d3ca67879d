/**
 * What each way of spending time and of estimating is worth, on the recordings: five identical arms, so that whatever they
 * differ by is noise. research/ablation.md has the tables and what follows from them.
 *
 *   npm run bench:ablation
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { markdownTable } from 'markdown-table';
import { mean } from '../../src/judge/stats/moments.ts';
import { blockNoise } from '../../src/judge/stats/variance.ts';
import {
  generatorMsBy,
  logRate,
  losses,
  otherEstimates,
  type Plant,
  regressions,
  requestsPerTime,
  type Table,
  type Way,
  waiting,
} from './ablation-ways.ts';
import { readRecordedRounds } from './recorded-live.ts';
import { ARMS, NO_RECORDINGS, RECORDINGS, readTurns, type Turn } from './recorded-turns.ts';
import { noises, simulateSession } from './verdicts-session.ts';

const LEVELS = [1, 25, 50];
const TURN_S = 0.25;
/** Of the warm-up: two seconds that are looked at as if they were counted. */
const WINDOW_TURNS = 8;
/** Simulated for each scatter and effect. */
const SESSIONS = 100;

type Ways = Readonly<Record<string, Way>>;

interface Recording {
  readonly name: string;
  readonly turns: readonly Turn[];
}

type Row = readonly string[];

/** The scatter of an arm in a round, as a share. */
function scatterOf(rows: Table): number {
  return Math.sqrt(blockNoise(rows)?.variance ?? Number.NaN);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** The turns of each round, in their order. */
function passesUnder(turns: readonly Turn[], level: number): Turn[][] {
  const loaded = turns.filter(({ phase, connections }) => phase === 'load' && connections === level);
  const rounds = [...new Set(loaded.map(({ round }) => round))];
  return rounds.map((round) => loaded.filter((turn) => turn.round === round).sort((a, b) => a.seq - b.seq));
}

function wayRows(recordings: readonly Recording[], name: string, way: Way): Row[] {
  return recordings.map(({ name: recording, turns }) => {
    return [name, recording, ...LEVELS.map((level) => percent(scatterOf(way(passesUnder(turns, level)))))];
  });
}

/** Requests/s of pools 10, 10, 25, 35 and 50, in whole slices in odd rounds and in turns in even ones. */
function poolRows(): Row[] {
  const file = join(RECORDINGS, 'slices-and-turns.jsonl');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const rounds = lines.map((line) => JSON.parse(line) as { mode: string; rates: Record<string, number[]> });
  return ['slices', 'turns'].map((mode) => {
    const own = rounds.filter((round) => round.mode === mode);
    const scatters = LEVELS.map((level) => scatterOf(own.map(({ rates }) => (rates[level] ?? []).map(Math.log))));
    return [`${mode}, five pools in one run`, 'slices-and-turns', ...scatters.map(percent)];
  });
}

/**
 * A pass cut anew: its arms are alike, so any may stand for any. Five arms that never were take turns of this many of the
 * recorded ones, to and fro; 16 are a whole slice. What differs between two starts is not in it.
 */
function cutAnew(turnsInOne: number): Way {
  return (passes) =>
    passes.map((pass, round) => {
      const arms = pass.map((_, i) => {
        const block = Math.floor(i / turnsInOne);
        const place = block % ARMS.length;
        const isBackwards = Math.floor(block / ARMS.length) % 2 === 1;
        return ((isBackwards ? ARMS.length - 1 - place : place) + round) % ARMS.length;
      });
      return ARMS.map((arm) => logRate(pass.filter((_, i) => arms[i] === arm)));
    });
}

/** What a way makes of a planted variant at each load level of a recording: the mean over all arms and rounds. */
function seenAs(way: Way, turns: readonly Turn[], plant: Plant): string {
  const seen = LEVELS.map((level) => {
    const passes = passesUnder(turns, level);
    const before = way(passes);
    const changes = ARMS.flatMap((arm) => {
      const planted = passes.map((pass) => {
        let number = 0;
        return pass.map((turn) => (turn.arm === arm ? plant(turn, number++) : turn));
      });
      return way(planted).map((row, round) => againstOthers(row, arm) - againstOthers(before[round] ?? [], arm));
    });
    return (100 * Math.expm1(mean(changes))).toFixed(1);
  });
  return `${seen.join(', ')} %`;
}

/** ln of an arm over the others. */
function againstOthers(row: readonly number[], arm: number): number {
  return (row[arm] ?? Number.NaN) - mean(row.filter((_, other) => other !== arm));
}

function rowsWithPlants(recordings: readonly Recording[], ways: Ways, plants: readonly Plant[]): Row[] {
  return Object.entries({ 'requests / time': requestsPerTime, ...ways }).flatMap(([name, way]) =>
    recordings.flatMap((recording) => {
      const seen = plants.map((plant) => seenAs(way, recording.turns, plant));
      return wayRows([recording], name, way).map((row) => [...row, ...seen]);
    }),
  );
}

function regressionRows(recordings: readonly Recording[]): Row[] {
  const calm = recordings.find(({ name }) => name === 'calm');
  if (calm === undefined) return [];
  const generatorMs = generatorMsBy(calm.turns);
  return rowsWithPlants(recordings, regressions(generatorMs), [waiting(generatorMs)]);
}

/** The scatter of two seconds that follow this long a warm-up, and what it costs: variance x time. */
function warmUpRows({ name, turns }: Recording): Row[] {
  const warm = turns.filter(({ phase }) => phase === 'warm-up');
  const rounds = [...new Set(warm.map(({ round }) => round))];
  return [1, 3, 5, 7].map((seconds) => {
    const first = seconds / TURN_S;
    const rows = rounds.map((round) =>
      ARMS.map((arm) => {
        const own = warm.filter((turn) => turn.round === round && turn.arm === arm);
        return logRate(own.slice(first, first + WINDOW_TURNS));
      }),
    );
    const scatter = scatterOf(rows);
    const cost = 1e4 * scatter ** 2 * (seconds + WINDOW_TURNS * TURN_S);
    return [name, `${seconds} s`, percent(scatter), cost.toFixed(0)];
  });
}

/**
 * How many rounds a sweep of one variant has on average until the judge of this checkout ends it, where arms scatter by so
 * much: with a planted 10 %, with 5 %, and with no difference at all.
 */
function judgeRows(): Row[] {
  const seeds = Array.from({ length: SESSIONS }, (_, seed) => seed);
  return [0.01, 0.02, 0.03, 0.04, 0.06, 0.08].map((scatter) => {
    const noise = { ...noises.quiet, name: percent(scatter), betweenStarts: scatter, outlierShare: 0 };
    const rounds = [Math.log1p(0.1), Math.log1p(0.05), 0].map((effect) => {
      const plan = { noise, variants: 1, loads: 1, effect: () => effect };
      return mean(seeds.map((seed) => simulateSession(plan, seed).rounds));
    });
    return [noise.name, ...rounds.map((mean) => mean.toFixed(1))];
  });
}

/** Arms that are processes of their own against settings of one process: what a round scatters by, and what it takes. */
function liveRows(): Row[] {
  const all = readRecordedRounds();
  return (['starts', 'live'] as const).flatMap((mode): Row[] => {
    const own = all.filter((round) => round.mode === mode);
    if (own.length === 0) return [[`${mode}: not recorded, see record-live.ts`]];
    const scatters = LEVELS.map((level) => scatterOf(own.map(({ rates }) => (rates[level] ?? []).map(Math.log))));
    const seconds = mean(own.map((round) => round.seconds));
    const cost = mean(scatters.map((scatter) => 1e4 * scatter ** 2)) * seconds;
    return [[mode, String(own.length), seconds.toFixed(0), ...scatters.map(percent), cost.toFixed(0)]];
  });
}

/** `npm run bench:ablation`: prints the tables. */
function main(): void {
  const recordings = ['calm', 'disturbed'].flatMap((name): Recording[] => {
    const turns = readTurns(name);
    return turns === null ? [] : [{ name, turns }];
  });
  if (recordings.length === 0) {
    console.log(NO_RECORDINGS);
    return;
  }
  const levels = LEVELS.map((level) => `${level} connection${level === 1 ? '' : 's'}`);
  const cut = [16, 8, 4, 2, 1].flatMap((turns) =>
    wayRows(recordings, `cut anew, ${turns * TURN_S} s each`, cutAnew(turns)),
  );
  const taken = wayRows(recordings, 'as they were taken, 0.25 s each', requestsPerTime);
  const tables: Record<string, readonly Row[]> = {
    'Slices and turns, 4 s an arm': [['turns', 'recording', ...levels], ...poolRows(), ...cut, ...taken],
    'Estimates from the same turns': [
      ['estimate', 'recording', ...levels, '-10 % in every turn', '-40 % in every fourth'],
      ...rowsWithPlants(recordings, otherEstimates, losses),
    ],
    'Regression on what others took': [
      ['without the slope on', 'recording', ...levels, '-10 % by waiting'],
      ...regressionRows(recordings),
    ],
    'Warm-up, 25 connections': [
      ['recording', 'warm-up of an arm', 'scatter of 2 s after it', 'variance x time'],
      ...recordings.flatMap(warmUpRows),
    ],
    'The judge: mean rounds of a sweep of one variant': [['scatter', '10 %', '5 %', 'no difference'], ...judgeRows()],
    'Live switching, 4 s an arm': [
      ['five identical arms', 'rounds', 'seconds a round', ...levels, 'variance x time'],
      ...liveRows(),
    ],
  };
  for (const [title, rows] of Object.entries(tables)) console.log(`### ${title}\n\n${markdownTable(rows)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
