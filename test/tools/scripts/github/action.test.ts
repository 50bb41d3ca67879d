import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { openJournal } from '../../../../src/journal/journal.ts';
import { withSides } from '../../../../src/measure/against/take-sides.ts';
import { reportMarker } from '../../../../src/report/formats/markdown.ts';
import { parseScenario } from '../../../../src/scenario/load-scenario.ts';
import { fixtureJournal } from '../../../judge/journal-fixture.ts';
import { packageName, startRegistry } from '../../../measure/stack/embedded/npm-registry.ts';
import {
  actionFolder,
  type GithubMachine,
  githubMachine,
  type MachineOptions,
} from '../../../scripts/github/action-run.ts';
import {
  BOT,
  type CommentsApi,
  type CommentsApiOptions,
  startCommentsApi,
} from '../../../scripts/github/comments-api.ts';
import { type RanJob, readAction, runJob, type Step } from '../../../scripts/github/runner.ts';
import { needs } from '../../../support/needs.ts';

const MARK = '<!-- pgsweep:report bench/mine -->';
const REPORT = `${reportMarker('mine')}\n# Is it as fast?\n\ngate failed: head, rps > -5%\n`;

/** Stands in for pgsweep: notes what it was called with, and does what the environment says. */
const fake = `#!/usr/bin/env node
const { mkdirSync, writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
writeFileSync(process.env.FAKE_CALLED, JSON.stringify(args));
console.log(process.env.FAKE_PRINTS ?? 'measuring');
if (process.env.FAKE_REPORT) {
  const folder = args[args.indexOf('--out') + 1];
  mkdirSync(folder);
  writeFileSync(folder + '/report.md', process.env.FAKE_REPORT);
  const session = { verdict: process.env.FAKE_SESSION ?? 'fit' };
  writeFileSync(folder + '/summary.json', JSON.stringify({ session }));
}
process.exit(Number(process.env.FAKE_CODE ?? 0));
`;

let programs: string;
beforeAll(() => {
  programs = mkdtempSync(join(tmpdir(), 'pgsweep-fake-'));
  writeFileSync(join(programs, 'pgsweep'), fake);
  chmodSync(join(programs, 'pgsweep'), 0o755);
});
afterAll(() => rmSync(programs, { recursive: true }));

async function api(options: CommentsApiOptions = {}): Promise<CommentsApi> {
  const started = await startCommentsApi(options);
  onTestFinished(() => started.close());
  return started;
}

interface Ran extends RanJob {
  readonly kept: GithubMachine['kept'];
  readonly workspace: string;
  /** Null where pgsweep was not called. */
  readonly called: readonly string[] | null;
}

/** The action's own steps, with the fake on PATH unless the inputs name a package or it is among the project's. */
async function runAction(
  inputs: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  options: Pick<MachineOptions, 'apiUrl' | 'pullRequest' | 'programs'> & {
    readonly prepare?: (workspace: string) => void;
  },
): Promise<Ran> {
  const called = join(programs, 'called.json');
  rmSync(called, { force: true });
  const { prepare, ...machineOptions } = options;
  const own = { ...(inputs.package === undefined && prepare === undefined && { programs }), ...machineOptions };
  const { machine, workspace, kept, close } = githubMachine({ ...own, env: { ...env, FAKE_CALLED: called } });
  onTestFinished(close);
  symlinkSync(actionFolder, join(workspace, 'pgsweep'));
  prepare?.(workspace);
  const ran = await runJob([{ uses: './pgsweep', with: { scenario: 'bench/mine.yaml', ...inputs } }], machine);
  return { ...ran, kept, workspace, called: existsSync(called) ? JSON.parse(readFileSync(called, 'utf8')) : null };
}

const logOf = ({ steps }: RanJob, name: string): string => steps.find((step) => step.name === name)?.log ?? '';
const outcomes = ({ steps }: RanJob): string[] => steps.map(({ outcome }) => outcome);

describe('the action', () => {
  it('hands gates, scenario and budget on, and fails with the report in summary, comment and artifact where a gate failed', async () => {
    const { url: apiUrl, comments } = await api();
    const inputs = { gates: 'rps > -5%\n\n  p95_ms < +10%\n', 'gate-unclear': 'pass', budget: '3m' };
    const ran = await runAction(inputs, { FAKE_REPORT: REPORT, FAKE_CODE: '4' }, { apiUrl, pullRequest: 7 });
    expect(ran.called?.slice(3)).toEqual([
      ...['--gate', 'rps > -5%', '--gate', '  p95_ms < +10%', '--gate-unclear', 'pass', '--budget', '3m'],
      ...['--', 'bench/mine.yaml'],
    ]);
    expect(ran.called?.slice(0, 2)).toEqual(['sweep', '--out']);
    expect(ran.conclusion).toBe('failure');
    expect(outcomes(ran)).toEqual(['success', 'skipped', 'failure', 'success', 'success', 'success']);
    expect(logOf(ran, 'Sweep')).toMatch(/^::error title=pgsweep::A gate failed/m);
    expect(ran.kept).toEqual([
      { name: 'pgsweep-bench--mine', path: ran.called?.[2], files: ['report.md', 'summary.json'] },
    ]);
    expect(comments.map(({ user, body }) => [user.login, body])).toEqual([[BOT, ran.summary]]);
    expect(ran.summary.startsWith(`${MARK}\n# Is it as fast?\n\ngate failed`)).toBe(true);
    expect(ran.summary).toContain('[run folder](https://github.test/artifact/1)');
    expect(ran.summary).toContain('[Log](https://github.test/own/service/actions/runs/42)');
  });

  it('succeeds where pgsweep does, and calls it with no more than it was given', async () => {
    const { url: apiUrl, requests } = await api();
    const ran = await runAction({}, { FAKE_REPORT: REPORT }, { apiUrl });
    expect(ran.conclusion).toBe('success');
    expect(ran.called?.slice(3)).toEqual(['--', 'bench/mine.yaml']);
    // A push is no pull request: nobody is asked for anything.
    expect(logOf(ran, 'Comment on the pull request')).toContain('this is no pull request');
    expect(requests).toEqual([]);
  });

  it.each([
    ['pass', 'unfit', 'success'],
    ['pass', 'fit', 'failure'],
    ['fail', 'unfit', 'failure'],
    ['', 'unfit', 'failure'],
  ])(
    'with gate-unclear "%s" and exit code 3 of a session that is %s ends in %s',
    async (unclear, verdict, conclusion) => {
      const { url: apiUrl } = await api();
      const env = { FAKE_REPORT: REPORT, FAKE_SESSION: verdict, FAKE_CODE: '3' };
      const ran = await runAction({ 'gate-unclear': unclear }, env, { apiUrl });
      expect(ran.conclusion).toBe(conclusion);
      expect(logOf(ran, 'Sweep')).toMatch(/^::(error|warning) title=pgsweep::This machine was not fit/m);
    },
  );

  it('says in summary and comment that there is no report, where pgsweep ended before one', async () => {
    const { url: apiUrl, comments } = await api();
    const ran = await runAction({}, { FAKE_CODE: '2' }, { apiUrl, pullRequest: 7 });
    expect(ran.conclusion).toBe('failure');
    expect(ran.summary).toMatch(
      /^<!-- pgsweep:report bench\/mine -->\n\n\*\*pgsweep\*\* has no report: it ended with exit code 2/,
    );
    expect(comments.map(({ body }) => body)).toEqual([ran.summary]);
  });

  it('marks that too, whatever the scenario is called', async () => {
    const { url: apiUrl } = await api();
    const ran = await runAction({ scenario: 'a --><img src=x>.yaml' }, { FAKE_CODE: '2' }, { apiUrl });
    expect(ran.summary.split('\n')[0]).toBe('<!-- pgsweep:report a -__img src=x_ -->');
  });

  it.each(['mine', 'prüfung', 'a --><b', 'größe 漢字 🙂', `${'long-'.repeat(20)}🙂`, 'v1.2'])(
    'marks it as the report of %s is marked, so that a run that fails early replaces the old comment',
    async (name) => {
      const { url: apiUrl, comments } = await api();
      const inputs = { scenario: `./${name}.yaml` };
      const report = `${reportMarker(name)}\n# Is it as fast?\n`;
      await runAction(inputs, { FAKE_REPORT: report }, { apiUrl, pullRequest: 7 });
      const ran = await runAction(inputs, { FAKE_CODE: '2' }, { apiUrl, pullRequest: 7 });
      expect(comments.map(({ body }) => body)).toEqual([ran.summary]);
      expect(ran.summary.split('\n')[0]).toBe(reportMarker(name));
      expect(ran.summary).toContain('has no report');
    },
  );

  it('has a comment and an artifact for each of two scenarios of one name, and keeps names of the top folder', async () => {
    const { url: apiUrl, comments } = await api();
    const kept: string[] = [];
    for (const scenario of ['pgsweep.yaml', 'a/pgsweep.yaml', 'b/pgsweep.yaml', './a//pgsweep.yaml']) {
      const env = { FAKE_REPORT: `${reportMarker('pgsweep')}\n# ${scenario}\n` };
      const ran = await runAction({ scenario }, env, { apiUrl, pullRequest: 7 });
      kept.push(...ran.kept.map(({ name }) => name));
    }
    expect(kept).toEqual(['pgsweep-pgsweep', 'pgsweep-a--pgsweep', 'pgsweep-b--pgsweep', 'pgsweep-a--pgsweep']);
    expect(comments.map(({ body }) => body.split('\n').slice(0, 2))).toEqual([
      [reportMarker('pgsweep'), '# pgsweep.yaml'],
      ['<!-- pgsweep:report a/pgsweep -->', '# ./a//pgsweep.yaml'],
      ['<!-- pgsweep:report b/pgsweep -->', '# b/pgsweep.yaml'],
    ]);
  });

  it('replaces the old comment where pgsweep cannot even be installed', async () => {
    const { url: apiUrl, comments } = await api();
    await runAction({}, { FAKE_REPORT: REPORT }, { apiUrl, pullRequest: 7 });
    const ran = await runAction({ package: 'latest' }, {}, { apiUrl, pullRequest: 7 });
    expect(ran.conclusion).toBe('failure');
    expect(comments.map(({ body }) => body)).toEqual([ran.summary]);
    expect(ran.summary).toMatch(
      /^<!-- pgsweep:report bench\/mine -->\n\n\*\*pgsweep\*\* has no report: it did not start/,
    );
  });

  const packed = (program = fake, dependencies = {}, addTo = (_source: string): void => {}): string => {
    const source = mkdtempSync(join(programs, 'package-'));
    writeFileSync(join(source, 'pgsweep'), program);
    const about = { name: 'pgsweep', version: '9.9.9', bin: 'pgsweep', dependencies };
    writeFileSync(join(source, 'package.json'), JSON.stringify(about));
    addTo(source);
    execFileSync('npm', ['pack', '--silent', '--pack-destination', source], { cwd: source });
    return join(source, 'pgsweep-9.9.9.tgz');
  };

  it('has npm install the file that is named', async () => {
    const { url: apiUrl } = await api();
    const ran = await runAction({ package: `file:${packed()}` }, { FAKE_REPORT: REPORT }, { apiUrl });
    expect(ran.conclusion, JSON.stringify(ran.steps)).toBe('success');
    expect(ran.called?.[0]).toBe('sweep');
  });

  it('installs what the file needs by the lockfile that it brings, whatever has been published since', async () => {
    const { url: apiUrl } = await api();
    const registry = await startRegistry();
    onTestFinished(() => registry.close());
    const env = { npm_config_registry: registry.url };
    registry.publish('1.0.0');
    const tells = `#!/usr/bin/env node
const { version } = require(${JSON.stringify(`${packageName}/package.json`)});
require('node:fs').writeFileSync(process.env.FAKE_CALLED, JSON.stringify([version]));
`;
    const dependencies = { [packageName]: '^1.0.0' };
    const checkout = mkdtempSync(join(programs, 'checkout-'));
    const about = { name: 'pgsweep', version: '9.9.9', bin: 'pgsweep', dependencies };
    writeFileSync(join(checkout, 'package.json'), JSON.stringify(about));
    // The registry is in this process, which has to go on.
    const options = { cwd: checkout, env: { ...process.env, ...env } };
    await promisify(execFile)('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], options);
    const file = packed(tells, dependencies, (source) => {
      mkdirSync(join(source, 'dist'));
      copyFileSync(join(checkout, 'package-lock.json'), join(source, 'dist/lock.json'));
    });
    registry.publish('1.1.0');
    const ran = await runAction({ package: `file:${file}` }, env, { apiUrl });
    expect(ran.called, logOf(ran, 'Install pgsweep')).toEqual(['1.0.0']);
  });

  it('has npm install a commit', async () => {
    const { url: apiUrl } = await api();
    const npm = mkdtempSync(join(programs, 'npm-'));
    writeFileSync(join(npm, 'npm'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
    const commit = `github:owner/pgsweep#${'a1'.repeat(20)}`;
    const ran = await runAction({ package: commit }, {}, { apiUrl, programs: npm });
    expect(logOf(ran, 'Install pgsweep').split('\n')).toContain(`pgsweep@${commit}`);
  });

  it("takes the project's own, as its lockfile has it, and asks no registry for a name", async () => {
    const { url: apiUrl } = await api();
    const prepare = (workspace: string): void => {
      const [head, vendor] = [join(workspace, 'head'), join(workspace, 'head/vendor')];
      mkdirSync(join(head, 'bench'), { recursive: true });
      mkdirSync(vendor);
      copyFileSync(packed(), join(vendor, 'pgsweep-9.9.9.tgz'));
      writeFileSync(join(head, 'package.json'), '{ "name": "service", "version": "1.0.0" }');
      const npm = (...args: string[]) =>
        execFileSync('npm', [...args, '--no-audit', '--no-fund', '--offline'], { cwd: head });
      npm('install', '--save-dev', './vendor/pgsweep-9.9.9.tgz');
      rmSync(join(head, 'node_modules'), { recursive: true });
      npm('ci');
      expect(readFileSync(join(head, 'package-lock.json'), 'utf8')).toMatch(/"integrity": "sha512-/);
    };
    const ran = await runAction({ scenario: 'head/bench/mine.yaml' }, { FAKE_REPORT: REPORT }, { apiUrl, prepare });
    expect(ran.conclusion, JSON.stringify(ran.steps)).toBe('success');
    expect(ran.called?.slice(-1)).toEqual(['head/bench/mine.yaml']);
  });

  it.each(['latest', '^0.1.0', '0.1', '0.1.0', 'github:owner/pgsweep', 'github:owner/pgsweep#main', '*'])(
    'installs nothing that may change, such as %s',
    async (name) => {
      const { url: apiUrl } = await api();
      const ran = await runAction({ package: name }, {}, { apiUrl });
      expect(ran.conclusion).toBe('failure');
      expect(logOf(ran, 'Install pgsweep')).toContain('no commit');
      expect(ran.called).toBeNull();
    },
  );

  it('takes text of strangers for text: nothing of it is run, and nothing is a command to the runner', async () => {
    const { url: apiUrl } = await api();
    const hostile = ['$(touch pwned)', '`touch pwned`', '"; touch pwned; "', "'; touch pwned; '", '--help', '* $HOME'];
    const inputs = { scenario: `${hostile[0]}/a"b\`c.yaml`, gates: hostile.join('\n'), budget: hostile[2] ?? '' };
    const prints = '::error::not ours\n::add-mask::x\n##[add-path]/tmp';
    const ran = await runAction(inputs, { FAKE_REPORT: REPORT, FAKE_PRINTS: prints }, { apiUrl });
    expect(ran.called?.slice(3)).toEqual([
      ...hostile.flatMap((gate) => ['--gate', gate]),
      ...['--budget', hostile[2], '--', inputs.scenario],
    ]);
    expect(existsSync(join(ran.workspace, 'pwned'))).toBe(false);
    expect(ran.kept[0]?.name).toBe('pgsweep---touch-pwned---a-b-c');
    const log = logOf(ran, 'Sweep');
    const [, word = ''] = /^::stop-commands::([0-9a-f]{32})\n/.exec(log) ?? [];
    expect(word).toHaveLength(32);
    expect(log.indexOf(prints)).toBeGreaterThan(0);
    expect(log.indexOf(prints)).toBeLessThan(log.indexOf(`\n::${word}::\n`));
  });
});

/** Stands in for what measures alone: the run is a made-up one, which pgsweep judges. */
const judging = (bin: string): string => `#!/usr/bin/env node
const { copyFileSync, mkdirSync } = require('node:fs');
const [, , , , out, ...rest] = process.argv;
mkdirSync(out);
copyFileSync(process.env.MADE_UP, out + '/journal.jsonl');
const gates = rest.slice(0, rest.indexOf('--'));
const { status } = require('node:child_process').spawnSync(process.execPath, [${JSON.stringify(bin)}, 'report', out, ...gates], { stdio: 'inherit' });
process.exit(status);
`;

describe('a gate, judged by pgsweep', () => {
  it.each([
    [
      'fails a head that answers a tenth less',
      0.9,
      'failure',
      4,
      /^.*Gate rps > -5% fails for head at 4 connections: -\d+\.\d % \[.*\]\.$/m,
    ],
    ['passes a head that is the base', 1, 'success', 0, /^.*Gate rps > -5% passes for its one change\.$/m],
  ])('%s', async (_, ratio, conclusion, exitCode, said) => {
    const folder = mkdtempSync(join(programs, 'judging-'));
    writeFileSync(join(folder, 'pgsweep'), judging((await needs('built')).has), { mode: 0o755 });
    const { run, records } = fixtureJournal({
      variants: ['base', 'head'],
      control: 'base',
      connections: [4],
      rounds: 8,
      noise: 0.01,
      effect: ({ variant }) => (variant === 'head' ? Math.log(ratio) : 0),
    });
    const journal = openJournal(join(folder, 'journal.jsonl'));
    for (const record of [run, ...records]) journal.append(record);
    journal.close();
    const { url: apiUrl, comments } = await api();
    const env = { MADE_UP: join(folder, 'journal.jsonl') };
    const options = { apiUrl, pullRequest: 7, programs: folder };
    const ran = await runAction({ gates: 'rps > -5%', 'gate-unclear': 'fail' }, env, options);
    const log = logOf(ran, 'Sweep');
    expect(ran.conclusion, log).toBe(conclusion);
    expect(ran.kept[0]?.files).toContain('report.html');
    // The comment is the first screen, with the links that end the summary.
    const [first = ''] = ran.summary.split('\n<details>');
    const links = ran.summary.trimEnd().split('\n').at(-1);
    expect(comments.map(({ body }) => body)).toEqual([`${first}\n${links}\n`]);
    expect(first.length).toBeLessThan(ran.summary.length / 2);
    expect(ran.summary.startsWith(`${MARK}\n`)).toBe(true);
    expect(ran.summary.length).toBeLessThan(65_536);
    expect(ran.summary).toMatch(said);
    if (exitCode !== 0) expect(log).toContain('::error title=pgsweep::A gate failed');
  });
});

describe('its comment', () => {
  const options = (apiUrl: string) => ({ apiUrl, pullRequest: 7 });

  it('is posted by the first run, and updated by the next', async () => {
    const { url, comments, requests } = await api();
    await runAction({}, { FAKE_REPORT: REPORT }, options(url));
    const later = REPORT.replace('failed', 'passed');
    const ran = await runAction({}, { FAKE_REPORT: later }, options(url));
    expect(comments).toHaveLength(1);
    expect(comments[0]?.body).toContain('gate passed');
    expect(requests.map((request) => request.split(' ')[0])).toEqual(['GET', 'POST', 'GET', 'PATCH']);
    expect(logOf(ran, 'Comment on the pull request')).toContain('issuecomment-1');
  });

  it('is found among hundreds, and neither what others have written nor that of another scenario is touched', async () => {
    const others = Array.from({ length: 250 }, (_, index) => ({ user: { login: 'somebody' }, body: `${index}` }));
    const before = [
      { user: { login: 'somebody' }, body: `${MARK}\n# Is it?` },
      { user: { login: BOT }, body: `${MARK.replace('mine', 'other')}\n# Is it?` },
      ...others,
      { user: { login: BOT }, body: `${MARK}\n# Is it?` },
      { user: { login: BOT }, body: 'of another program' },
    ];
    const { url, comments, requests } = await api({ comments: before });
    const ran = await runAction({}, { FAKE_REPORT: REPORT }, options(url));
    expect(requests.at(-1)).toBe('PATCH /repos/own/service/issues/comments/253');
    const bodies = before.map(({ body }, index) => (index === 252 ? ran.summary : body));
    expect(comments.map(({ body }) => body)).toEqual(bodies);
  });

  it.each([403, 404, 401])('that is refused with %i is told of, and the job ends as its sweep did', async (refuse) => {
    const { url, comments } = await api({ refuse });
    const code = refuse === 403 ? '4' : '0';
    const ran = await runAction({}, { FAKE_REPORT: REPORT, FAKE_CODE: code }, options(url));
    expect(ran.conclusion).toBe(code === '0' ? 'success' : 'failure');
    expect(logOf(ran, 'Comment on the pull request')).toMatch(
      new RegExp(`^::warning title=pgsweep::No comment, GitHub answered ${refuse}: this job may not comment`),
    );
    expect(ran.summary).toContain('Is it as fast?');
    expect(comments).toEqual([]);
  });

  it('that cannot be posted for other reasons fails no job either', async () => {
    const { url, close } = await startCommentsApi({ refuse: 500 });
    const broken = await runAction({}, { FAKE_REPORT: REPORT }, options(url));
    close();
    expect(logOf(broken, 'Comment on the pull request')).toContain('No comment, GitHub answered 500. The report is');
    const unreachable = await runAction({}, { FAKE_REPORT: REPORT }, options(url));
    expect(logOf(unreachable, 'Comment on the pull request')).toContain('GitHub could not be asked (ECONNREFUSED)');
    expect([broken.conclusion, unreachable.conclusion]).toEqual(['success', 'success']);
  });
});

describe('what is written', () => {
  const workflow = parse(readFileSync(join(actionFolder, 'pull-request.yml'), 'utf8'));
  const { inputs, runs } = readAction(actionFolder);
  const steps: readonly Step[] = [...runs.steps, ...workflow.jobs['base-and-head'].steps];

  it('has no text of others in a script: it comes by the environment', () => {
    expect(steps.filter(({ run }) => run !== undefined).length).toBeGreaterThan(5);
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });

  it('lets no output of pgsweep be a command to the runner', () => {
    const { jobs } = parse(readFileSync(join(actionFolder, 'machines.yml'), 'utf8'));
    const steps = (Object.values(jobs) as { readonly steps: readonly Step[] }[]).flatMap((job) => job.steps);
    const own = steps.flatMap(({ run = '' }) => (run.includes('pgsweep ') ? [run] : []));
    expect(own).toHaveLength(2);
    for (const run of own) expect(run).toMatch(/^echo "::stop-commands::\$\(uuidgen\)"\nnpx --no pgsweep [^\n]+\n$/);
  });

  it('names the actions of others by commit', () => {
    const uses = steps.flatMap(({ uses = './' }) => (uses.startsWith('./') ? [] : [uses]));
    expect(uses).toHaveLength(3);
    expect(uses.filter((use) => !/^actions\/[a-z-]+@[0-9a-f]{40}$/.test(use))).toEqual([]);
  });

  it('may read and comment, and nothing else, and runs without the secrets of the repository', () => {
    expect(workflow.permissions).toEqual({ contents: 'read', 'pull-requests': 'write' });
    expect(workflow.on).toBe('pull_request');
    expect(JSON.stringify(workflow)).not.toContain('secrets');
  });

  it('takes pgsweep from a lockfile, and never by its bare name, which anybody may take', () => {
    expect(inputs.package?.default).toBe('');
    const files = [
      'github/install.sh',
      'github/machines.yml',
      'kubernetes/Dockerfile',
      'kubernetes/README.md',
      '../README.md',
    ];
    for (const file of files) {
      const text = readFileSync(resolve('scripts', file), 'utf8');
      expect(text).not.toMatch(/npx (?!--no )pgsweep|install [^\n]*[^/]pgsweep@\d/);
    }
  });
});

describe('against: base', () => {
  const git = (cwd: string, ...args: string[]): string => {
    const who = ['-c', 'user.name=Nobody', '-c', 'user.email=nobody@example.test', '-c', 'commit.gpgsign=false'];
    return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  };

  /** A bare repository whose HEAD merges a pull request, and the commit of its base. */
  function bare(): { readonly url: string; readonly base: string } {
    const folder = mkdtempSync(join(programs, 'repository-'));
    const commit = (message: string): void =>
      void git(folder, 'commit', '--quiet', '--allow-empty', '--message', message);
    git(folder, 'init', '--quiet', '--initial-branch', 'main');
    commit('older');
    writeFileSync(join(folder, 'server.mjs'), 'base');
    git(folder, 'add', '--all');
    commit('base');
    const base = git(folder, 'rev-parse', 'HEAD');
    git(folder, 'switch', '--quiet', '--create', 'change', 'HEAD~1');
    commit('head');
    git(folder, 'switch', '--quiet', 'main');
    git(folder, 'merge', '--quiet', '--no-ff', '--message', 'merge', 'change');
    const url = join(folder, 'bare.git');
    git(folder, 'clone', '--quiet', '--bare', folder, url);
    return { url: `file://${url}`, base };
  }

  it.each(['1', '2'])('is the first parent of the merge, in a checkout of depth %s', async (depth) => {
    const { url: apiUrl } = await api();
    const { url, base } = bare();
    const prepare = (workspace: string): void => {
      git(workspace, 'clone', '--quiet', '--depth', depth, url, 'head');
      mkdirSync(join(workspace, 'head/bench'));
      const own = join(workspace, 'head/node_modules/.bin');
      mkdirSync(own, { recursive: true });
      copyFileSync(join(programs, 'pgsweep'), join(own, 'pgsweep'));
    };
    const inputs = { scenario: 'head/bench/mine.yaml', against: 'base' };
    const ran = await runAction(inputs, { FAKE_REPORT: REPORT }, { apiUrl, prepare });
    expect(ran.conclusion, JSON.stringify(ran.steps)).toBe('success');
    expect(ran.called?.slice(3)).toEqual(['--against', 'base', '--tip', '--', 'head/bench/mine.yaml']);
    const clone = join(ran.workspace, 'head');
    expect(git(clone, 'rev-parse', 'base')).toBe(base);
    expect(git(clone, 'show', 'base:server.mjs')).toBe('base');
    // As a sweep takes it.
    const text = 'target: { command: node server.mjs, cwd: .. }\nload: { connections: 1, requests: [{ path: / }] }\n';
    const scenario = parseScenario(text, join(clone, 'bench/mine.yaml'), { ref: 'base', tip: true });
    expect((await withSides(scenario, {}, async (taken) => taken)).commits).toMatchObject([
      { ref: 'base', commit: base, at: 'commit' },
    ]);
  });

  it('needs the merge of a pull request', async () => {
    const { url: apiUrl } = await api();
    const prepare = (workspace: string): void => {
      const own = join(workspace, 'node_modules/.bin');
      mkdirSync(own, { recursive: true });
      copyFileSync(join(programs, 'pgsweep'), join(own, 'pgsweep'));
      git(workspace, 'init', '--quiet');
      git(workspace, 'commit', '--quiet', '--allow-empty', '--message', 'only');
    };
    const ran = await runAction({ against: 'base' }, {}, { apiUrl, prepare });
    expect(ran.conclusion).toBe('failure');
    expect(ran.called).toBeNull();
    expect(logOf(ran, 'Find what to compare with')).toContain('::error title=pgsweep::against: base needs the merge');
  });
});
