// `npm run test:faults`: what must not happen whatever is broken, tried at random. Seeded: the same seed tries the same.
//
// With `--record FILE` each piece that was tried is kept there and not tried again, so that a long one can be made in
// several sittings: `--minutes 8` begins no piece after that time.
import { appendFileSync, chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom, seedOf } from '../../src/base/random.ts';
import { visibleLines } from '../../src/base/visible.ts';
import { useBin } from '../cli/cli.ts';
import { whatIsAsked } from '../support/asked.ts';
import { buildBench } from '../support/build.ts';
import { againstKills } from './against-kills.ts';
import { askedFaults } from './asked.ts';
import { elsewhere } from './elsewhere.ts';
import { exactNumbers } from './exact-numbers.ts';
import { fullDisks } from './full-disk.ts';
import { hostileNames, hostileSweeps } from './hostile-names.ts';
import { kills } from './kills.ts';
import { mutatedJournals } from './mutated-journals.ts';
import { mutatedScenarios } from './mutated-scenarios.ts';
import type { Context, PartResult } from './part.ts';
import { type Counts, type PartName, type Piece, piecesLeft, piecesOf, sizes, type Tried, totalsOf } from './pieces.ts';
import { sqlLikePsql } from './sql-like-psql.ts';

const { size, seed, part, count, record, minutes } = whatIsAsked(askedFaults(process.argv.slice(2)));

const parts: Readonly<Record<PartName, (context: Context) => Promise<PartResult>>> = {
  journals: mutatedJournals,
  scenarios: mutatedScenarios,
  numbers: exactNumbers,
  sql: sqlLikePsql,
  names: hostileNames,
  sweeps: hostileSweeps,
  disks: fullDisks,
  kills,
  elsewhere,
  against: againstKills,
};

/** `--part kills --count 2`: this many of everything in it. */
function counts(): Counts {
  const chosen = sizes[size];
  if (count === undefined) return chosen;
  return Object.fromEntries(Object.keys(chosen).map((name) => [name, count])) as Record<PartName, number>;
}

function recorded(file: string): Tried[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  return lines.map((line) => JSON.parse(line));
}

async function tryPiece(piece: Piece, folder: string): Promise<Tried> {
  const { part, from } = piece;
  const startMs = performance.now();
  const result = await parts[part]({ ...piece, folder, random: createRandom(seedOf(seed, part, from)) });
  return { ...piece, seed, seconds: Math.round((performance.now() - startMs) / 1000), result };
}

function tell({ part, from, to, seconds, result: { tried, outcomes, faults, skipped } }: Tried): void {
  const name = from === 0 ? part : `${part} from ${from}`;
  if (skipped !== null) {
    console.log(`${name}: skipped, ${skipped}`);
    return;
  }
  const kinds = Object.entries(outcomes).map(([kind, count]) => `${count} ${kind}`);
  console.log(`${name} to ${to}: ${tried} in ${seconds} s (${kinds.sort().join(', ')}), ${faults.length} faults`);
  for (const fault of faults.slice(0, 20)) console.log(`  ${visibleLines(fault)}`);
}

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-faults-'));
// Servers run in it as a user of their own.
chmodSync(folder, 0o711);
// Ledgers of other runs are none of these runs' business.
process.env.XDG_CACHE_HOME = join(folder, 'cache');
// As it is built, and without a system's authorities: each of hundreds of processes starts in a fifth of the CPU time.
process.env.NODE_EXTRA_CA_CERTS = '';
useBin(await buildBench());
console.log(`seed ${seed}, folder ${folder}`);
const pieces = piecesOf(counts(), part);
const all = record === undefined ? [] : recorded(record);
const endMs = performance.now() + 60_000 * minutes;
let found = 0;
for (const piece of piecesLeft(pieces, all, seed)) {
  if (performance.now() > endMs) break;
  const tried = await tryPiece(piece, folder);
  all.push(tried);
  if (record !== undefined) appendFileSync(record, `${JSON.stringify(tried)}\n`);
  tell(tried);
  found += tried.result.faults.length;
}
console.log('all together:');
for (const total of totalsOf(pieces, all, seed)) tell(total);
const left = piecesLeft(pieces, all, seed).length;
if (left > 0)
  console.log(`${left} of ${pieces.length} pieces are to be tried, or tried again; the same command does it`);
if (found === 0) rmSync(folder, { recursive: true });
else console.log(`${found} faults; their files are in ${folder}`);
process.exitCode = found === 0 ? 0 : 1;
