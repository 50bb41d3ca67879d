import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../cli/cli.ts';
import { created, type DocumentServer, startDocumentServer } from '../load/bulk/http-server.ts';
import { needs } from '../support/needs.ts';
import { parsePowerShell } from './powershell.ts';

const shell = resolve('scripts/bulk-load-performance.sh');
const powershell = resolve('scripts/BulkLoad-Performance.ps1');
const pwsh = await needs('powershell');
let folder: string;
let server: DocumentServer;
let refuse: string | null;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pgsweep-scripts-'));
  refuse = null;
  server = await startDocumentServer(({ resource }, response) => {
    if (resource === refuse) response.writeHead(400).end();
    else created(response);
  });
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

interface Ended {
  readonly code: number | string | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a script from a folder that is not the repository. */
function run(program: string, ...args: string[]): Promise<Ended> {
  return new Promise((settle) => {
    execFile(program, args, { cwd: folder }, (error, out, err) => settle({ code: error?.code ?? 0, out, err }));
  });
}

const started = /^Starting Measure for PartialGrandBend$/m;
const total = /^Total Time: \d\d:\d\d:\d\d\.\d{7}$/m;

describe('bulk-load-performance.sh', () => {
  it('loads from any folder and prints what the users of the report look for', async () => {
    const args = ['--template', 'PartialGrandBend', '--base-url', server.url, '--out', 'here'];
    const { code, out, err } = await run(shell, ...args);
    expect(code, err).toBe(0);
    expect(out).toMatch(started);
    expect(out).toMatch(total);
    expect(server.posted).toHaveLength(9126);
    expect(existsSync(join(folder, 'here', 'bulk-load.json'))).toBe(true);
  });

  it('passes the exit code on: of documents that were refused, and of bad usage', async () => {
    refuse = 'calendarDates';
    const { code } = await run(shell, '--documents', '1000', '--base-url', server.url, '--out', 'here');
    expect(code).toBe(4);
    const bad = await run(shell, '--template', 'GrandBnd');
    expect(bad.code).toBe(2);
    expect(bad.err).toContain('did you mean GrandBend?');
  });
});

describe('BulkLoad-Performance.ps1', () => {
  const text = readFileSync(powershell, 'utf8');

  it('is PowerShell, by its grammar, with the parameters that were promised', async () => {
    const { errors, parameters } = await parsePowerShell(text);
    expect(errors).toEqual([]);
    expect(parameters).toEqual(['Template', 'Update', 'BaseUrl', 'Variant', 'Rounds', 'Out']);
  });

  it.each([
    [
      'a brace that is not closed',
      text.replace('if ($Update) { ', 'if ($Update) ').replace("'--update' }", "'--update' }"),
    ],
    ['a parenthesis too few', text.replace("'--rounds', $Rounds)", "'--rounds', $Rounds")],
    ['a string that does not end', text.replace("'src' 'cli'", "'src 'cli'")],
    ['a comment that does not end', text.replace('#>', '')],
  ])('would be seen broken by %s', async (_what, broken) => {
    expect(broken).not.toBe(text);
    expect((await parsePowerShell(broken)).errors).not.toEqual([]);
  });

  it('has help for each parameter, and examples', async () => {
    const help = /^<#([\s\S]+?)#>/.exec(text)?.[1] ?? '';
    const { parameters } = await parsePowerShell(text);
    expect([...help.matchAll(/^\.PARAMETER (\w+)$/gm)].map((match) => match[1])).toEqual(parameters);
    expect(help.match(/^\.EXAMPLE$/gm)?.length).toBeGreaterThan(2);
    expect(help).toMatch(/^\.SYNOPSIS$/m);
  });

  it('hands on options that bulk-load has', async () => {
    const { out } = await cli('bulk-load', '--help');
    const options = [...text.matchAll(/'(--[a-z-]+)'/g)].map((match) => match[1] ?? '');
    expect(options).toHaveLength(6);
    expect(options.filter((option) => !out.includes(`${option} `))).toEqual([]);
  });

  it('prints the times and passes the exit code on', pwsh.orSkip, async () => {
    const args = ['-NoLogo', '-NoProfile', '-File', powershell, '-BaseUrl', server.url, '-Rounds', '2'];
    const { code, out, err } = await run('pwsh', ...args, '-Out', 'here');
    expect(code, err).toBe(0);
    expect(out).toMatch(started);
    expect(out.match(new RegExp(total, 'gm'))).toHaveLength(2);
    refuse = 'calendarDates';
    expect((await run('pwsh', ...args, '-Out', 'there')).code).toBe(4);
    const help = await run('pwsh', '-NoLogo', '-NoProfile', '-Command', `Get-Help -Full '${powershell}'`);
    expect(help.out).toContain('-Variant "Pool 25 conn"');
  });
});
