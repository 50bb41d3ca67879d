import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli, startCli } from '../cli/cli.ts';
import { created, type DocumentServer, startDocumentServer } from '../sample/bulk/http-server.ts';
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
    const args = ['--template', 'PartialGrandBend', '--documents', '700', '--base-url', server.url];
    const { code, out, err } = await run(shell, ...args, '--out', 'here');
    expect(code, err).toBe(0);
    expect(out).toMatch(started);
    expect(out).toMatch(total);
    expect(server.posted).toHaveLength(700);
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

/** As bulk-load calls it: `InFlight` is `--in-flight`. */
const flagOf = (parameter: string): string =>
  `--${parameter.replaceAll(/(?<=.)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}`;

describe('BulkLoad-Performance.ps1', () => {
  const text = readFileSync(powershell, 'utf8');
  const passedOn = [
    'Template',
    'Documents',
    'Update',
    'BaseUrl',
    'AllowRemote',
    'Variant',
    'Connections',
    'InFlight',
    'Rounds',
    'Out',
  ];

  it('is PowerShell, by its grammar, with the parameters that were promised', async () => {
    const { errors, parameters } = await parsePowerShell(text);
    expect(errors).toEqual([]);
    // What takes the rest is no parameter for people: neither completed nor in the syntax.
    expect(text).toContain('[Parameter(ValueFromRemainingArguments, DontShow)]');
    expect([...parameters].sort()).toEqual([...passedOn, 'PassThru', 'Unknown'].sort());
  });

  it.each([
    [
      'a brace that is not closed',
      text.replace('if ($Update) { ', 'if ($Update) ').replace("'--update' }", "'--update' }"),
    ],
    ['a parenthesis too few', text.replace("'bulk-load')", "'bulk-load'")],
    ['a string that does not end', text.replace("'src' 'cli' 'bin.mjs'), 'b", "'src 'cli' 'bin.mjs'), 'b")],
    ['a comment that does not end', text.replace('#>', '')],
  ])('would be seen broken by %s', async (_what, broken) => {
    expect(broken).not.toBe(text);
    expect((await parsePowerShell(broken)).errors).not.toEqual([]);
  });

  it('can be started by its name', () => {
    expect(text).toMatch(/^#!\/usr\/bin\/env pwsh\n\n<#\n/);
    expect(statSync(powershell).mode & 0o111).toBe(0o111);
  });

  it('has help for each parameter, and examples that end before what PowerShell is to require', async () => {
    const help = /^<#([\s\S]+?)#>\n\n/m.exec(text)?.[1] ?? '';
    const { parameters } = await parsePowerShell(text);
    expect([...help.matchAll(/^\.PARAMETER (\w+)$/gm)].map((match) => match[1])).toEqual(parameters);
    expect(help.match(/^\.EXAMPLE\n {2}.+\n\n {2}\w.+\.$/gm)).toHaveLength(5);
    expect(help).toMatch(/^\.SYNOPSIS$/m);
  });

  it('hands each parameter on as the option of that name, and bulk-load has it', async () => {
    const { out } = await cli('bulk-load', '--help');
    const options = [...text.matchAll(/'(--[a-z-]+)'/g)].map((match) => match[1] ?? '');
    expect([...options].sort()).toEqual([...passedOn.map(flagOf), '--json'].sort());
    const asked = [...options, '--list-variants'];
    expect(asked.filter((option) => !out.includes(`${option} `))).toEqual([]);
  });

  it('gives out what the result of bulk-load has', async () => {
    const args = ['bulk-load', '--documents', '700', '--base-url', server.url, '--out', 'here', '--json'];
    const { out } = await startCli(args, { cwd: folder }).done;
    const result = JSON.parse(out);
    expect(result.path).toBe(join(realpathSync(folder), 'here'));
    const { documents, loaded, totalMs } = result.rounds[0].result.bulk;
    expect([documents, loaded]).toEqual([700, 700]);
    expect(totalMs).toBeGreaterThan(0);
    expect(text.match(/\$bulk\.\w+/g)).toEqual(['$bulk.totalMs', '$bulk.documents', '$bulk.loaded']);
  });

  describe('run by PowerShell', pwsh.orSkip, () => {
    const script = (...args: string[]): Promise<Ended> =>
      run('pwsh', '-NoLogo', '-NoProfile', '-File', powershell, ...args);
    const command = (line: string): Promise<Ended> => run('pwsh', '-NoLogo', '-NoProfile', '-Command', line);
    const literal = (word: string): string => `'${word.replaceAll("'", "''")}'`;

    it('prints the times and passes the exit code on', async () => {
      const args = ['-BaseUrl', server.url, '-Rounds', '2'];
      const { code, out, err } = await script(...args, '-Out', 'here');
      expect(code, err).toBe(0);
      expect(out).toMatch(started);
      expect(out.match(new RegExp(total, 'gm'))).toHaveLength(2);
      expect(server.posted).toHaveLength(2 * 9126);
      refuse = 'calendarDates';
      expect((await script(...args, '-Out', 'there')).code).toBe(4);
      const preference = '$PSNativeCommandUseErrorActionPreference = $true';
      const line = `${preference}; & ${literal(powershell)} -BaseUrl ${server.url} -Documents 1000; exit $LASTEXITCODE`;
      expect((await command(line)).code).toBe(4);
    });

    it.each([
      [['-Template', 'GrandBnd'], 'did you mean GrandBend'],
      [['-Rounds', 'many'], 'Expected a whole number'],
      [['-Documents', '0'], 'Expected a whole number'],
      [['-Bogus', 'x'], 'unknown: -Bogus x'],
      [['GrandBend', 'x'], 'unknown: x'],
      [['-BaseUrl', ''], '-BaseUrl is empty'],
      [['-Variant', ''], '-Variant is empty'],
      [['-Variant', 'Nobody'], 'has no variant "Nobody"'],
    ])('ends with 2 where it is given %j', async (args, message) => {
      const { code, err } = await script(...args);
      expect(err).toContain(message);
      expect(code).toBe(2);
      expect(existsSync(join(folder, 'results'))).toBe(false);
    });

    it('writes objects where asked', async () => {
      const args = `-BaseUrl ${server.url} -Documents 700 -Connections 5 -InFlight 3 -Rounds 2 -Out here -PassThru`;
      const { out, err } = await command(`& ${literal(powershell)} ${args} | ConvertTo-Json -AsArray -Compress`);
      const objects = JSON.parse(out);
      expect(objects, err).toHaveLength(2);
      expect(Object.keys(objects[0])).toEqual(['Template', 'Documents', 'TotalSeconds', 'DocumentsPerSecond', 'Path']);
      expect(objects[1]).toMatchObject({ Template: 'PartialGrandBend', Documents: 700 });
      expect(objects[1].Path).toBe(join(realpathSync(folder), 'here'));
      const { spec } = JSON.parse(readFileSync(join(folder, 'here', 'bulk-load.json'), 'utf8'));
      expect(spec).toMatchObject({ connections: 5, inFlight: 3 });
    });

    it('says what it calls with -Verbose, completes variants, and has its help', async () => {
      const { out } = await command(`& ${literal(powershell)} -BaseUrl ${server.url} -Documents 700 -Verbose 4>&1`);
      expect(out).toMatch(/node [\s\S]*bin\.mjs[\s\S]*--documents\s+700/);
      const typed = `& ${literal(powershell)} -Variant Pool`;
      const completed = await command(
        `(TabExpansion2 ${literal(typed)} ${typed.length}).CompletionMatches.CompletionText`,
      );
      expect(completed.out.trim()).toBe("'Pool 25 conn'");
      const help = await command(`(Get-Help ${literal(powershell)}).Examples.Example[-1].Remarks | Out-String`);
      expect(help.out).toContain('Takes the mean of three loads.');
      expect(help.out).not.toContain('Requires');
    });
  });
});
