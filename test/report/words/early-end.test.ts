import { expect, it } from 'vitest';
import type { FailedRecord } from '../../../src/journal/records.ts';
import { summarize } from '../../../src/judge/summary.ts';
import { documentOf } from '../../../src/report/document.ts';
import { renderFirstScreen } from '../../../src/report/formats/terminal.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';

const at = '2026-01-01T00:00:00.000Z';
/** Warnings of a run that ended so, and what it says comes next. */
function told(rounds: number, failed: Pick<FailedRecord, 'code' | 'message'>, ...after: readonly 'resume'[]) {
  const { run, records } = fixtureJournal({ ...small, rounds, end: null });
  const resume = after.map(() => ({ type: 'resume', at, provenance: run.provenance }) as const);
  const document = documentOf(
    summarize({ run, records: [...records, { type: 'failed', at, ...failed }, ...resume], warnings: [] }),
  );
  const screen = renderFirstScreen(document, { colour: false, widthColumns: 80, folder: 'out/mine' });
  return { warnings: document.warnings.join('\n'), next: screen.slice(screen.indexOf('Next:')) };
}

it('a run that failed says why, and is resumed where that can help', () => {
  const { warnings, next } = told(3, { code: 'target', message: 'the service of "b" ended (exit code 1)\nlog' });
  expect(warnings).toContain(
    'The run failed: this report covers what it had measured. The service of "b" ended (exit code 1).',
  );
  expect(warnings).not.toContain('log');
  expect(next).toContain('pgsweep sweep --resume out/mine');
});

it('what a run keeps is no better when it is resumed', () => {
  const { next } = told(3, { code: 'dataset', message: 'x.sql:1: no such table' });
  expect(next).toContain('Fix the cause, then start a new run');
  expect(next).not.toContain('--resume');
  const first = told(0, { code: 'target', message: 'the service does not listen' });
  expect(first.warnings).toContain('The run failed. The service does not listen.');
  expect(first.next).not.toContain('--resume');
  // With room on its disk it goes on, as the command says.
  expect(told(0, { code: 'disk', message: 'its disk is full' }).next).toContain('--resume');
});

it('one that was interrupted is resumed, and says no error', () => {
  const interrupted = { code: 'interrupted', message: 'interrupted' };
  expect(told(3, interrupted).warnings).toContain('The run was interrupted: this report covers what it had measured.');
  expect(told(0, interrupted).next).toContain('Next: Resume the run:\n  pgsweep sweep --resume out/mine');
});

it('one that goes on again has not failed by now', () => {
  expect(told(3, { code: 'target', message: 'the service ended' }, 'resume').warnings).toContain(
    'The run ended early: this report covers what it had measured.',
  );
});
