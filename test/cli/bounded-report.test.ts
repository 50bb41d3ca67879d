import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ExitCode } from '../../src/base/errors.ts';
import type { Bounds } from '../../src/cli/report/bounded-thread.ts';
import { boundedReport } from '../../src/cli/report.ts';
import { openJournal } from '../../src/journal/journal.ts';
import { noGates } from '../../src/judge/verdicts/gate.ts';
import { fixtureJournal } from '../judge/journal-fixture.ts';

const run = mkdtempSync(join(tmpdir(), 'pgsweep-bounded-'));
afterAll(() => rmSync(run, { recursive: true }));

const { run: head, records } = fixtureJournal({ variants: ['a', 'b'], control: 'a', connections: [1], rounds: 4 });
const journal = openJournal(join(run, 'journal.jsonl'));
for (const record of [head, ...records]) journal.append(record);
journal.close();

interface Said {
  out: string;
  err: string;
}

function report(said: Said, bounds?: Bounds, signal = new AbortController().signal) {
  const io = {
    out: (text: string) => {
      said.out += text;
    },
    err: (text: string) => {
      said.err += text;
    },
    outColour: false,
    outWidthColumns: 120,
    signal,
  };
  return boundedReport({ run, json: false, full: false, style: 'usual', gates: noGates }, io, bounds);
}

describe('a report in bounds', () => {
  it('is the report', async () => {
    const said = { out: '', err: '' };
    expect(await report(said)).toBe(ExitCode.done);
    expect(said.out).toContain('Connection pool size');
    expect(said.out).toContain('report.md');
    expect(readdirSync(run)).toContain('summary.json');
  });

  it.each([
    [{ cpuMs: 1, residentMb: 800, heapMb: 740 }, 'takes more than a minute of CPU time'],
    [{ cpuMs: 60_000, residentMb: 800, heapMb: 8 }, 'takes more than 1 GB of memory'],
    [{ cpuMs: 60_000, residentMb: 1, heapMb: 740 }, 'takes more than 1 GB of memory'],
  ])('that takes more than %j ends with advice, and leaves nothing unfinished', async (bounds, message) => {
    writeFileSync(join(run, `report.md.${'0'.repeat(12)}.tmp`), '');
    await expect(report({ out: '', err: '' }, bounds)).rejects.toMatchObject({
      code: 'journal',
      message: expect.stringContaining(message),
      hint: expect.stringContaining('--no-limits'),
    });
    expect(readdirSync(run).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('ends by Ctrl-C', async () => {
    const reason = new Error('interrupted');
    await expect(report({ out: '', err: '' }, undefined, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('tells what is wrong with a run', async () => {
    const empty = mkdtempSync(join(run, 'empty-'));
    const io = {
      out: () => {},
      err: () => {},
      outColour: false,
      outWidthColumns: 120,
      signal: new AbortController().signal,
    };
    const asked = { run: empty, json: false, full: false, style: 'usual', gates: noGates } as const;
    await expect(boundedReport(asked, io)).rejects.toMatchObject({ code: 'journal' });
  });
});
