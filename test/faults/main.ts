// `npm run test:faults`: what must not happen whatever is broken, tried at random. Seeded: the same seed tries the same.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom, seedOf } from '../../src/base/random.ts';
import { visibleLines } from '../../src/base/visible.ts';
import { fullDisks } from './full-disk.ts';
import { hostileNames } from './hostile-names.ts';
import { kills } from './kills.ts';
import { mutatedJournals } from './mutated-journals.ts';
import { mutatedScenarios } from './mutated-scenarios.ts';
import type { PartResult, Size } from './part.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    part: { type: 'string' },
    count: { type: 'string' },
  },
});

/** About a minute, twenty minutes, two hours. */
const sizes: Readonly<Record<'short' | 'usual' | 'long', Size>> = {
  short: { journals: 80, scenarios: 400, hostileNames: 8, hostileSweeps: 0, fullDisks: 4, kills: 0 },
  usual: { journals: 2000, scenarios: 2000, hostileNames: 60, hostileSweeps: 2, fullDisks: 20, kills: 10 },
  long: { journals: 10_000, scenarios: 10_000, hostileNames: 300, hostileSweeps: 10, fullDisks: 100, kills: 50 },
};
const chosen = sizes[values.short ? 'short' : values.long ? 'long' : 'usual'];
/** `--part kills --count 2`: so many of everything in it. */
const size =
  values.count === undefined
    ? chosen
    : (Object.fromEntries(Object.keys(chosen).map((kind) => [kind, Number(values.count)])) as Record<
        keyof Size,
        number
      >);
const parts = {
  journals: mutatedJournals,
  scenarios: mutatedScenarios,
  names: hostileNames,
  disks: fullDisks,
  kills,
};

function tell({ name, tried, outcomes, faults, skipped }: PartResult, startMs: number): void {
  if (skipped !== null) {
    console.log(`${name}: skipped, ${skipped}`);
    return;
  }
  const kinds = Object.entries(outcomes).map(([kind, count]) => `${count} ${kind}`);
  const seconds = Math.round((performance.now() - startMs) / 1000);
  console.log(`${name}: ${tried} in ${seconds} s (${kinds.sort().join(', ')}), ${faults.length} faults`);
  for (const fault of faults.slice(0, 20)) console.log(`  ${visibleLines(fault)}`);
}

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-faults-'));
// Ledgers of other runs are none of these runs' business.
process.env.XDG_CACHE_HOME = join(folder, 'cache');
console.log(`seed ${values.seed}, folder ${folder}`);
let found = 0;
for (const [name, part] of Object.entries(parts)) {
  if (values.part !== undefined && values.part !== name) continue;
  if (name === 'kills' && size.kills === 0) continue;
  const startMs = performance.now();
  const result = await part({ size, folder, random: createRandom(seedOf(values.seed, name)) });
  tell(result, startMs);
  found += result.faults.length;
}
if (found === 0) rmSync(folder, { recursive: true });
else console.log(`${found} faults; their files are in ${folder}`);
process.exitCode = found === 0 ? 0 : 1;
