import { describe, expect, it } from 'vitest';
import type { Against } from '../../../src/journal/run/against-record.ts';
import { voidReasons } from '../../../src/journal/void-reasons.ts';
import { withControl } from '../../../src/judge/read/other-control.ts';
import { type Summary, summarize } from '../../../src/judge/summary.ts';
import type { Asked } from '../../../src/judge/verdicts/asked.ts';
import { noGates, parseGate } from '../../../src/judge/verdicts/gate.ts';
import { documentOf } from '../../../src/report/document.ts';
import { renderHtml } from '../../../src/report/formats/html.ts';
import { renderMarkdown } from '../../../src/report/formats/markdown.ts';
import { renderFirstScreen } from '../../../src/report/formats/terminal.ts';
import { commandFor, measure, resume } from '../../../src/report/words/commands.ts';
import { nextSteps } from '../../../src/report/words/next-steps.ts';
import { type FixtureOptions, fixtureJournal } from '../../judge/journal-fixture.ts';
import { small } from '../../judge/small-run.ts';
import { contentOf } from '../report-content.ts';

const open: FixtureOptions = { ...small, rounds: 5, noise: 0.04 };

/** The journal of a run whose scenario allows so many rounds. */
function journalOf(options: FixtureOptions, max = 40) {
  const journal = fixtureJournal(options);
  const { scenario } = journal.run;
  return { ...journal, run: { ...journal.run, scenario: { ...scenario, rounds: { ...scenario.rounds, max } } } };
}

const commandsOf = (summary: Summary): (string | null)[] => nextSteps(summary).map(({ command }) => command);

describe('more rounds', () => {
  it('are asked for by their number where the scenario allows fewer: no budget makes them', () => {
    const { moreRounds } = { moreRounds: 0, ...summarize(journalOf(open)).session.open };
    const needed = 5 + (moreRounds ?? 0);
    const within = (max: number) => commandsOf(summarize(journalOf({ ...open, end: 'budget' }, max)))[0];
    expect(within(needed)).toMatch(/^pgsweep sweep --resume RUN --budget \d+m$/);
    expect(within(needed - 1)).toBe(`pgsweep sweep --resume RUN --rounds ${needed}`);
  });

  it('decide open gates, after a run of so many rounds by their number', () => {
    const gates = { gates: [parseGate('rps > -5%')], unclear: 'fail' } as const;
    const stepOf = (end: 'rounds' | 'budget') => {
      const summary = summarize(journalOf({ ...open, end }), undefined, gates);
      return nextSteps({ ...summary, session: { ...summary.session, open: null } })[0];
    };
    const [note] = summarize(journalOf(open), undefined, gates).gates[0]?.notes ?? [];
    const needed = note?.kind === 'rounds-needed' ? note.rounds : null;
    expect(needed).toBeGreaterThan(5);
    expect(stepOf('rounds')).toEqual({
      text: expect.stringMatching(/^\d+ more rounds? \(\d+ minutes?\) should decide the open gates$/),
      command: `pgsweep sweep --resume RUN --rounds ${needed} --gate 'rps > -5%'`,
    });
    expect(stepOf('budget')?.command).toMatch(/ --budget \d+m --gate 'rps > -5%'$/);
  });
});

describe('what the command asked', () => {
  const gates = [parseGate('rps > -5%'), parseGate('p99_ms < +10%')];
  const options = " --gate 'rps > -5%' --gate 'p99_ms < +10%'";

  it('is asked again of a run that is resumed, and of no other command', () => {
    const commandOf = (own: FixtureOptions, asked: Asked) => commandsOf(summarize(journalOf(own), undefined, asked))[0];
    const early: FixtureOptions = { ...open, rounds: 2, end: null };
    const all: Asked = { gates, unclear: 'pass', size: true, all: true };
    expect(commandOf(early, all)).toBe(`pgsweep sweep --resume RUN${options} --gate-unclear pass --size --settle all`);
    expect(commandOf({ ...early, end: 'budget' }, { gates, unclear: 'fail' })).toBe(
      `pgsweep sweep --resume RUN --rounds 4${options}`,
    );
    // Open comparisons come before open gates.
    expect(commandOf({ ...open, end: 'budget' }, { gates, unclear: 'fail' })).toMatch(/ --budget \d+m --gate /);
    const undecided = summarize(journalOf({ ...open, end: 'budget' }), undefined, { gates, unclear: 'fail' });
    // No round settles the comparison, and some decide a gate.
    const lost = { comparisons: 1, beyond: 1, moreRounds: null, moreMinutes: null };
    expect(nextSteps({ ...undecided, session: { ...undecided.session, open: lost } })[0]?.text).toMatch(
      /decide the open gates$/,
    );
    const question: FixtureOptions = { ...open, question: 'best', noise: 0.03, end: 'budget' };
    for (const command of commandsOf(summarize(journalOf(question), undefined, { ...all, gates: [] })))
      expect(command?.match(/--settle all/g) ?? ['once']).toHaveLength(1);
    expect(commandOf(early, noGates)).toBe('pgsweep sweep --resume RUN');
  });

  it('of sizes: the changes that are not precise enough to quote, and how long they take', () => {
    const at: FixtureOptions = {
      ...small,
      noise: 0.1,
      seed: 3,
      effect: ({ variant }) => (variant === 'b' ? -0.58 : 0),
    };
    const stepOf = (own: FixtureOptions, asked: Asked) => nextSteps(summarize(journalOf(own), undefined, asked))[0];
    const sizes: Asked = { ...noGates, size: true };
    const early: FixtureOptions = { ...at, rounds: 8, end: 'unsettled' };
    expect(stepOf(early, noGates)?.text).toBe('Every comparison of 2xx/s has its verdict.');
    expect(stepOf(early, sizes)).toEqual({
      text: expect.stringMatching(
        /^About \d+ more minutes \(\d+ rounds\) should make the size of 1 change precise enough to quote: b with 25 connections$/,
      ),
      command: expect.stringMatching(/^pgsweep sweep --resume RUN --budget \d+m --size$/),
    });
    expect(stepOf({ ...early, noise: 0.2 }, sizes)).toEqual({
      text: 'More rounds would not make the size of 1 change precise enough to quote: b with 25 connections',
      command: null,
    });
    expect(stepOf({ ...at, rounds: 12 }, sizes)?.text).toBe('Every comparison of 2xx/s has its verdict.');
  });
});

describe('a run on a server of the user', () => {
  const external = (own: Partial<Summary['provenance']>, options: FixtureOptions = { ...open, rounds: 2 }): Summary => {
    const summary = summarize(journalOf(options));
    return { ...summary, provenance: { ...summary.provenance, stack: 'external', ...own } };
  };

  it('is resumed with it, whose address no record has', () => {
    expect(commandsOf(external({}))).toEqual(['pgsweep sweep --resume RUN --rounds 4 --postgres URL']);
    expect(commandsOf(external({ openSearchVersion: '3.0' }))).toEqual([
      'pgsweep sweep --resume RUN --rounds 4 --postgres URL --opensearch URL',
    ]);
    expect(commandsOf(external({ stack: 'docker' }))).toEqual(['pgsweep sweep --resume RUN --rounds 4']);
  });

  it('is allowed again to send its load to another machine', () => {
    const journal = journalOf({ ...open, rounds: 2 });
    const { scenario } = journal.run;
    const commandOf = (own: Partial<typeof scenario>, provenance: Partial<Summary['provenance']> = {}) =>
      commandsOf(
        summarize({
          ...journal,
          run: {
            ...journal.run,
            scenario: { ...scenario, ...own },
            provenance: { ...journal.run.provenance, stack: 'none', ...provenance },
          },
        }),
      )[0];
    const resumed = 'pgsweep sweep --resume RUN --rounds 4';
    const target = { kind: 'url', url: 'http://192.0.2.1' } as const;
    expect(commandOf({ target })).toBe(`${resumed} --allow-remote`);
    const local = scenario.variants.map((one) => ({ ...one, url: 'http://127.0.0.1:3000' }));
    expect(commandOf({ target, variants: local })).toBe(resumed);
    expect(commandOf({ target: { ...target, url: '***' } })).toBe(resumed);
    expect(commandOf({ target, variants: local }, { openSearchVersion: '3.0' })).toBe(`${resumed} --opensearch URL`);
    // Services with their own servers, beside an OpenSearch that pgsweep started.
    expect(commandOf({}, { openSearchVersion: '3.0' })).toBe(resumed);
    const k6 = {
      kind: 'k6',
      script: '/x.js',
      exec: 'default',
      env: {},
      urlVariable: 'URL',
      tokenVariable: 'T',
    } as const;
    const withScript = (own: { remote?: true }) => ({ load: { ...scenario.load, workload: { ...k6, ...own } } });
    expect(commandOf(withScript({}))).toBe(resumed);
    expect(commandOf(withScript({ remote: true }))).toBe(`${resumed} --allow-remote`);
  });

  it('is measured again with it, and has no need of it for other commands', () => {
    const step = { load: { connections: 25 }, voided: 1, slices: 1, byReason: {}, kind: 'too-many-void' } as const;
    const summary = external({});
    const unfit: Summary = {
      ...summary,
      run: { ...summary.run, rounds: 5 },
      session: { ...summary.session, verdict: 'unfit', reasons: [step] },
    };
    expect(commandsOf(unfit)).toEqual([`pgsweep sweep ${summary.run.scenarioFile} --postgres URL`]);
    const notes = [{ kind: 'shard', index: 1, count: 2 }] as const;
    expect(commandsOf({ ...unfit, notes })).toEqual(['pgsweep merge RUN ...']);
  });
});

describe('a run that ended in its first round', () => {
  const summary = summarize(journalOf({ ...small, rounds: 0, unfinishedSlices: 2, end: null }));
  const document = documentOf(summary);

  it('is not said to lack time: its journal does not hold why it ended', () => {
    expect(document.warnings[0]).toBe(
      `Unfit session, no verdicts: no round was completed. If the run failed, logs/ in its folder may say why. Fix the cause, try it with pgsweep plan --check ${summary.run.scenarioFile}, then start a new run.`,
    );
    expect(document.warnings.join()).not.toMatch(/--budget|covers what it had measured|pgsweep sweep --resume\./);
  });

  it('is resumed where it was interrupted, with its folder in the command', () => {
    expect(renderFirstScreen(document, { colour: false, widthColumns: 80, folder: 'out/mine' })).toContain(
      'Next: If the run was interrupted, resume it:\n  pgsweep sweep --resume out/mine\n',
    );
  });

  it('is a longer slice where a capacity is not known since slices have too few answers', () => {
    const tooFew = { metric: 'p95_ms', answers: 139, needed: 200, sliceMs: 4000 };
    const lost = { kind: 'no-capacity', variants: ['a'], outcomes: ['not-measured'], tooFew } as const;
    const summary = summarize(journalOf(open));
    const { run } = summary;
    const stepsAfter = (reasons: Summary['session']['reasons']) =>
      nextSteps({ ...summary, session: { ...summary.session, verdict: 'unfit', reasons } });
    expect(stepsAfter([lost])[0]).toEqual({
      text: 'Set load.slice: 4s and measure again',
      command: measure(run.scenarioFile),
    });
    expect(stepsAfter([lost, { kind: 'no-rounds' }])[0]?.text).toBe('Fix the cause above, then measure again');
  });
});

describe('an unfit session', () => {
  const failures: FixtureOptions['failures'] = (_, requests) => ({ statuses: { 429: Math.round(0.8 * requests) } });
  const options: FixtureOptions = { ...small, failures, voided: () => ['failed requests'] };

  it('says first what helps against its reason, also after a quick run, which is repeated', () => {
    const first = (own: FixtureOptions) => nextSteps(summarize(journalOf({ ...options, ...own })))[0];
    const text = expect.stringMatching(/^The service refuses requests \(429, .* load\.rate\. Then measure again$/);
    const command = measure(summarize(journalOf(small)).run.scenarioFile);
    expect(first({})).toEqual({ text, command });
    expect(first({ quick: true, rounds: 1, end: 'quick' })).toEqual({ text, command: `${command} --quick` });
    expect(nextSteps(summarize(journalOf({ ...small, quick: true, rounds: 1, end: 'quick' })))).toEqual([]);
  });

  it.each(voidReasons)('has all of its step on the first screen: %s', (reason) => {
    const summary = summarize(journalOf({ ...small, voided: () => [reason] }));
    expect(documentOf(summary).first.next[0]?.text).toMatch(/ Then measure again$/);
  });
});

describe('a command to copy', () => {
  it('has the folder in the place of RUN, and only there', () => {
    expect(commandFor(resume('--rounds 4'), 'my run')).toBe("pgsweep sweep --resume 'my run' --rounds 4");
    expect(commandFor('pgsweep merge RUN ...', 'x/y')).toBe('pgsweep merge x/y ...');
    for (const file of ['DRY-RUN.yaml', 'RUN', '--resume RUN'])
      expect(commandFor(measure(file), "it's mine")).toBe(measure(file));
  });

  it('has the folder in a sentence, too, in every report', () => {
    const journal = withControl(fixtureJournal({ ...open, question: 'best', noise: 0.06, rounds: 6 }), 'b');
    const summary = summarize(journal);
    const document = documentOf(summary);
    const said = 'then run pgsweep report results/mine --control b again';
    expect(renderMarkdown(document, 'results/mine').replaceAll('\\', '')).toContain(said);
    expect(renderFirstScreen(document, { colour: false, widthColumns: 200, folder: 'results/mine' })).toContain(said);
    expect(renderHtml(contentOf(journal, 'results/mine', summary))).toContain(said);
  });

  it('names the scenario that a warning tells to check', () => {
    const summary = summarize(journalOf(open));
    const notes = [{ kind: 'void-included' }] as const;
    expect(documentOf({ ...summary, notes }).warnings.join()).toContain(
      `Run pgsweep plan --check ${summary.run.scenarioFile} before the next run`,
    );
  });

  it('holds the name of a file as one word, and no option', () => {
    expect(measure('scenarios/pool.yaml')).toBe('pgsweep sweep scenarios/pool.yaml');
    expect(measure('x.yaml; rm -rf ~')).toBe("pgsweep sweep 'x.yaml; rm -rf ~'");
    expect(measure('--command=gone')).toBe('pgsweep sweep ./--command=gone');
  });

  it('compares with the same commits again, which the command line may have named', () => {
    const all = {
      refs: ['main', 'v1 x'],
      tip: true,
      carry: ['/items/.env'],
      prepare: 'npm run build',
      own: ['dataset'],
    } as const;
    const commandOf = (against: Against): (string | null)[] => {
      const journal = journalOf({ variants: ['main', 'branch'], control: 'main', connections: [25], noise: 0.003 });
      const summary = summarize({
        ...journal,
        run: { ...journal.run, scenario: { ...journal.run.scenario, against } },
      });
      const trends = [{ load: { connections: 25 }, variant: 'branch', percent: 9, interval: [6, 12] }] as const;
      return commandsOf({ ...summary, notes: [{ kind: 'unsteady-rates', trends }] });
    };
    const file = fixtureJournal(small).run.scenario.file;
    expect(commandOf({ refs: ['main'], carry: [], own: [] })).toEqual([`pgsweep sweep ${file} --against main`]);
    expect(commandOf(all)).toEqual([
      `pgsweep sweep ${file} --against main --against 'v1 x' --tip --carry /items/.env --prepare 'npm run build' --own dataset`,
    ]);
  });

  it('is code in every report, whatever the file of the scenario is called', () => {
    const file = "x`y`.yaml; rm <b>'RUN";
    const journal = journalOf({ variants: ['pool=10', 'pool=20', 'pool=40'], control: 'pool=10', noise: 0.003 });
    const { scenario } = journal.run;
    const named = { ...journal, run: { ...journal.run, scenario: { ...scenario, file } } };
    const command = "pgsweep sweep 'x`y`.yaml; rm <b>'\\''RUN'";
    expect(commandsOf(summarize(named))).toContain(command);
    const document = documentOf(summarize(named));
    expect(renderMarkdown(document, 'results/mine')).toContain(`: \`\`${command}\`\`\n`);
    expect(renderFirstScreen(document, { colour: false, widthColumns: 80, folder: 'results/mine' })).toContain(
      `\n  ${command}\n`,
    );
    const escaped = command.replaceAll("'", '&#39;').replace('<b>', '&lt;b&gt;');
    expect(renderHtml(contentOf(named, 'results/mine', summarize(named)))).toContain(`<code>${escaped}</code></li>`);
  });
});
