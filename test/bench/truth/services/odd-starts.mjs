// Answers after BASE_MS on a timer. Every fifth start of an arm takes 1 / 0.6 as long, where ODD is 1: it is 40 % slower.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { at, serve, setting } from './bare.mjs';

const EVERY = 5;
const { TRUTH_LOG: folder = '.', PGSWEEP_ARM: arm } = process.env;

/** The number of this start of the arm, from 1. A service that the bench of the truth starts itself has none. */
function countStart() {
  if (arm === undefined) return 1;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${arm}.starts`);
  const start = 1 + (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
  writeFileSync(file, String(start));
  return start;
}
const isOdd = countStart() % EVERY === 0 && setting('ODD', 0) === 1;
const heldMs = setting('BASE_MS', 5) / (isOdd ? 0.6 : 1);
serve((_, answer) => at(performance.now() + heldMs, answer));
