/**
 * Is what the bench says true? Services with something planted in them, whose truth is known from their own log, from one
 * continuous run by bare sockets, from another by wrk, and in part from theory. `npm run bench:truth -- --help` has its options.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { withPart } from '../../scripts/docs/marked-parts.ts';
import { whatIsAsked } from '../support/asked.ts';
import { askedTruth } from './truth/asked-truth.ts';
import { openFinished } from './truth/finished-file.ts';
import { measurePlanting } from './truth/measure-planting.ts';
import { countsOf, type Measured, truthTable } from './truth/table.ts';
import { findWrk } from './truth/wrk.ts';

const LEAST_HELD = 0.95;
/** Promised of every `same`. */
const MOST_FALSE_SAME = 0.05;
const PAGE = 'research/measuring.md';

const { plantings, seconds, folder, again, docs } = whatIsAsked(askedTruth(process.argv.slice(2)));
const stop = new AbortController();
process.once('SIGINT', () => stop.abort(new Error('interrupted')));
process.once('SIGTERM', () => stop.abort(new Error('terminated')));
const wrk = await findWrk();
if (wrk === null)
  console.error('There is no wrk (apt-get install wrk). The truth is known from the other sources alone.');
const file = openFinished(folder);
try {
  for (const [index, planting] of plantings.entries()) {
    if (file.of(planting.name) !== undefined && !again) continue;
    console.error(`${index + 1} of ${plantings.length}: ${planting.name}, ${planting.about}`);
    file.add(await measurePlanting(planting, { folder, seconds, wrk, signal: stop.signal }));
  }
} catch (error) {
  if (!stop.signal.aborted) throw error;
  console.error('Stopped: the same command continues with the next planting.');
  process.exitCode = 130;
}
const measured = plantings.flatMap((planting): Measured[] => {
  const finished = file.of(planting.name);
  return finished === undefined ? [] : [{ planting, finished }];
});
if (measured.length > 0) {
  const table = truthTable(measured);
  console.log(table);
  const isWhole = measured.length === plantings.length;
  if (docs && isWhole) writeFileSync(PAGE, withPart(readFileSync(PAGE, 'utf8'), 'truth', table, 'npm run bench:truth'));
  const { claims, holds, same, falseSame, wrongSigns } = countsOf(measured);
  const isTrue = holds >= LEAST_HELD * claims && falseSame <= MOST_FALSE_SAME * same && wrongSigns === 0;
  process.exitCode ??= isTrue ? 0 : 1;
}
