import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { launch, type Page } from 'puppeteer-core';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { readJournal } from '../../../src/journal/journal.ts';
import { countAll } from '../../../src/journal/outcomes.ts';
import { cli, exitCodeOf, startCli } from '../../cli/cli.ts';
import { untilNothingIsLeft } from '../../cli/left-overs.ts';
import { needs } from '../../support/needs.ts';
import { recordHar } from '../../support/record-har.ts';

const chromium = await needs('chromium');
const service = resolve('test/fixtures/session-service.mjs');
const folder = mkdtempSync(join(tmpdir(), 'pgsweep-browser-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface HarEntry {
  readonly request: { readonly method: string; readonly url: string };
  readonly response: { readonly status: number };
  readonly _fromCache?: string;
}

/** Somebody logs in, at the second attempt, works a little, comes back to the page, and leaves. */
async function useService(page: Page, url: string): Promise<void> {
  const until = (state: string) => page.waitForFunction(`document.getElementById('state')?.textContent === '${state}'`);
  const logIn = async (password: string): Promise<void> => {
    await page.locator('[name=email]').fill('ann@mail.example');
    await page.locator('[name=password]').fill(password);
    await Promise.all([page.waitForNavigation(), page.locator('button').click()]);
  };
  await page.goto(url);
  await logIn('a bad one');
  await logIn('a good one');
  await until('ready');
  // A person looks first.
  await new Promise((done) => setTimeout(done, 700));
  await page.evaluate('window.work()');
  await until('done');
  await page.goto(url);
  await until('ready');
  await page.evaluate('window.leave()');
  await until('gone');
}

async function recordedSession(): Promise<string> {
  const child = spawn(process.execPath, [service], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(createInterface(child.stdout), 'line');
    const url = `http://127.0.0.1:${String(line).replace(/\D/g, '')}/`;
    const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
    const browser = await launch({ executablePath: chromium.has, args });
    try {
      const page = await browser.newPage();
      const har = await recordHar(page);
      await useService(page, url);
      return await har();
    } finally {
      await browser.close();
    }
  } finally {
    child.kill();
  }
}

describe('a HAR of a browser session', chromium.orSkip, () => {
  it('is replayed against its service, with every status as it was recorded', { timeout: 180_000 }, async () => {
    const file = join(folder, 'session.har');
    writeFileSync(file, await recordedSession());
    const recorded: HarEntry[] = JSON.parse(readFileSync(file, 'utf8')).log.entries;
    const sent = recorded.filter(({ _fromCache }) => _fromCache === undefined);
    const statuses = sent.map(({ response }) => response.status);
    // The browser has met all of them.
    for (const status of [200, 201, 204, 302, 303, 304, 401, 404, 422]) expect(statuses).toContain(status);

    const scenario = join(folder, 'session.yaml');
    const { code, err, out } = await cli('init', scenario, '--from', file);
    expect(code, err).toBe(0);
    expect(out).toContain(`${sent.length} steps in place of ${sent.length}`);
    expect(readFileSync(scenario, 'utf8')).not.toMatch(/a good one|a bad one|ann@mail/);
    const written = parse(readFileSync(scenario, 'utf8'));
    const steps: { name: string; think?: unknown }[] = written.load.script;
    expect(steps.some(({ think }) => think !== undefined)).toBe(true);
    // As long as a browser on a busy machine nobody need wait: each slice is to hold the whole way.
    const script = steps.map(({ think, ...step }) => (think === undefined ? step : { ...step, think: '50ms' }));
    const changed = {
      ...written,
      target: { command: `node ${service}`, ready: '/health' },
      sweep: undefined,
      variants: { Control: {} },
      control: 'Control',
      load: { ...written.load, users: 5, slice: '5s', script },
    };
    writeFileSync(scenario, stringify(changed));
    const run = join(folder, 'run');
    const env = { EMAIL: 'ann@mail.example', PASSWORD: 'a bad one', PASSWORD_2: 'a good one' };
    const swept = await startCli(['sweep', scenario, '--quick', '--out', run], { env }).done;
    expect(swept.code, swept.err).toBe(exitCodeOf(run));

    const slices = [...readJournal(join(run, 'journal.jsonl')).records].flatMap((record) =>
      record.type === 'slice' ? [record] : [],
    );
    expect(slices.length).toBeGreaterThan(0);
    for (const { byRequest, outcomes, ok } of slices) {
      expect(outcomes).toMatchObject({ errors: 0, timeouts: 0 });
      expect(ok).toBe(countAll(outcomes));
      const answered = steps.map(({ name }) => [name, Object.keys(byRequest[name]?.outcomes.statuses ?? {})]);
      expect(answered).toEqual(steps.map(({ name }, at) => [name, [String(statuses[at])]]));
    }
    await untilNothingIsLeft();
  });
});
