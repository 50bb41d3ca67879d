import { present } from '../../base/present.ts';
import type { Journal } from '../../journal/journal.ts';
import { hasPostgres, needsPostgres } from '../../journal/link/own-database.ts';
import { variedHousekeeping } from '../../journal/postgres/housekeeping.ts';
import type { ClosingServices, OwnDatabases, RunNote } from '../notes.ts';
import { idleInstances } from '../read/idle-instances.ts';
import { changesOnResume } from '../read/rounds/changes-on-resume.ts';
import { linkNotes } from '../read/rounds/links.ts';
import { turnNotes } from '../read/rounds/passes.ts';
import { warmupNotes } from '../read/rounds/warmups.ts';
import type { RunData } from '../read/run-data.ts';
import { tooManyVoid } from '../read/void-slices.ts';
import { steadyNotes } from './across/steady-rates.ts';

/** Everything that is odd about a run, whatever was found by it. */
export function notesOn(journal: Journal, data: RunData): RunNote[] {
  const { ignoredSlices, turns, voids } = data;
  const { scenario, withoutCounters, provenance } = journal.run;
  const changes = changesOnResume(provenance, turns);
  const housekeeping = variedHousekeeping(scenario);
  return present<RunNote>([
    ...journal.warnings.map((text) => ({ kind: 'journal', text }) as const),
    tooManyVoid(voids) && { kind: 'void-included' },
    closingServices(data),
    idleInstances(scenario),
    Object.keys(data.killed).length > 0 && { kind: 'killed-services', variants: data.killed },
    ...linkNotes(data.links),
    ...turnNotes(data.passes),
    ...warmupNotes(data.warmups, data.rounds.length),
    ...steadyNotes(data),
    housekeeping && { kind: 'housekeeping', ...housekeeping },
    ignoredSlices > 0 && { kind: 'unfinished-round', slices: ignoredSlices },
    ownDatabases(data),
    withoutCounters !== null && needsPostgres(scenario) && { kind: 'no-database-columns', text: withoutCounters },
    changes.length > 0 && { kind: 'resumed-elsewhere', changes },
  ]);
}

/** A note where services have no Postgres of the bench; null where all have, and where somebody else started them. */
function ownDatabases({ scenario: { target, variants } }: RunData): OwnDatabases | null {
  const own = target.kind === 'url' ? [] : variants.filter((variant) => !hasPostgres(variant));
  if (own.length === 0) return null;
  const kept = own.filter(({ reset }) => reset === undefined).map(({ name }) => name);
  return { kind: 'own-databases', variants: own.map(({ name }) => name), all: own.length === variants.length, kept };
}

/** A note where services close the connection after each answer; null where none does. */
function closingServices({ scenario, closing }: RunData): ClosingServices | null {
  const variants = scenario.variants.map(({ name }) => name).filter((name) => closing.has(name));
  if (variants.length === 0) return null;
  return { kind: 'closing-services', variants, all: variants.length === scenario.variants.length };
}
