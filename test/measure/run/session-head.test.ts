import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openJournal, readJournal, roundsLeftOpen } from '../../../src/journal/journal.ts';
import type { JournalRecord } from '../../../src/journal/records.ts';
import type { RoundsSpec } from '../../../src/journal/scenario-record.ts';
import { planRun } from '../../../src/measure/plan/run-plan.ts';
import { createRunFolder, type RunFolder } from '../../../src/measure/run/run-folder.ts';
import { writeHead } from '../../../src/measure/run/session-head.ts';
import { testScenario } from '../../fixtures/scenario.ts';
import { fixtureProvenance } from '../../judge/journal-fixture.ts';

const fixed = (rounds: number): RoundsSpec => ({ min: rounds, max: rounds, budgetMs: Number.MAX_SAFE_INTEGER });
const end: JournalRecord = { type: 'end', at: '2026-01-31T10:00:00.000Z', reason: 'rounds' };

let folder: RunFolder;
beforeEach(() => {
  const path = mkdtempSync(join(tmpdir(), 'pgsweep-head-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  folder = createRunFolder(join(path, 'run'));
});

/** A repository with one commit, and its name as pgsweep records it. */
function repository(name: string): { readonly path: string; readonly commit: string } {
  const path = join(folder.path, name);
  mkdirSync(path);
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: path, encoding: 'utf8' }).trim();
  git('init', '--quiet');
  git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '--allow-empty', '-m', name);
  return { path, commit: git('rev-parse', '--short=12', 'HEAD') };
}

/** A session that was to make this many rounds: of a new run, or of the one in the folder. It writes its head, and these records. */
async function session(rounds: number, ...records: readonly JournalRecord[]): Promise<void> {
  const scenario = testScenario({ rounds: fixed(rounds) });
  const resume = existsSync(folder.journal) ? readJournal(folder.journal) : null;
  const journal = openJournal(folder.journal);
  const servers = { chosen: { reason: 'test' }, database: null, search: null };
  const facts = { servers, parts: {}, withoutCounters: null, setUpMs: 1, plan: planRun(scenario) };
  await writeHead(journal, { scenario, seed: 1, quick: false, folder, resume }, facts);
  for (const record of records) journal.append(record);
  journal.close();
}

it('a run that is resumed in another folder has the commit of its scenario, not of that folder', async () => {
  const [own, other] = [repository('own'), repository('other')];
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  for (const { path } of [own, other]) {
    process.chdir(path);
    await session(2);
  }
  const { run, records } = readJournal(folder.journal);
  const commits = [run, ...records].flatMap((record) => ('provenance' in record ? [record.provenance.gitCommit] : []));
  expect(commits).toEqual([own.commit, own.commit]);
});

it('a run knows where its scenario lies below the top folder of its repository', async () => {
  const { path } = repository('own');
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  mkdirSync(join(path, 'services/api'), { recursive: true });
  for (const below of ['.', 'services/api']) {
    process.chdir(join(path, below));
    folder = createRunFolder(join(path, 'runs', below, 'run'));
    await session(2);
    expect(readJournal(folder.journal).run.provenance.gitFolder).toBe(below === '.' ? '' : below);
  }
});

describe('an extension that was interrupted', () => {
  const open = (): RoundsSpec | null => roundsLeftOpen(readJournal(folder.journal));

  it('is known by how far it was to go, until a session comes to its end', async () => {
    await session(2, end);
    expect(open()).toBeNull();
    await session(4);
    expect(open()).toEqual(fixed(4));
    await session(6);
    expect(open()).toEqual(fixed(6));
    await session(6, end);
    expect(open()).toBeNull();
  });

  it('of an old journal goes as far as the run was planned', async () => {
    await session(3, { type: 'resume', at: end.at, provenance: fixtureProvenance });
    expect(open()).toEqual(fixed(3));
  });
});
