import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { documentOf } from '../../src/report/document.ts';
import { renderMarkdown } from '../../src/report/formats/markdown.ts';
import { scenarioJsonSchema } from '../../src/scenario/schema.ts';
import { commandHelp } from './command-help.ts';
import { exampleExcerpt, exampleFolder, exampleName, exampleSummary } from './example-run.ts';
import { withPart } from './marked-parts.ts';
import { reportPicture } from './picture.ts';
import { plainStepsTable } from './plain-steps.ts';
import { scenarioTables } from './scenario-tables.ts';
import { verdictSentence, verdictTable, verdictWorth } from './verdict-goals.ts';

/** Every file of README, docs and research that is made, or has parts that are, with its content as it should be now. */
export async function madeFiles(): Promise<Map<string, string>> {
  const summary = exampleSummary();
  const page = (file: string, parts: Readonly<Record<string, string>>): [string, string] => [
    file,
    Object.entries(parts).reduce((text, [name, part]) => withPart(text, name, part), readFileSync(file, 'utf8')),
  ];
  return new Map([
    page('README.md', { example: exampleExcerpt(summary), 'own service': ownService(), worth: verdictSentence() }),
    page('docs/scenario.md', { keys: scenarioTables(scenarioJsonSchema()) }),
    page('docs/commands.md', { help: await commandHelp() }),
    page('docs/comparing.md', { compared: compared(), 'plain steps': plainStepsTable() }),
    page('docs/judging.md', { worth: verdictWorth() }),
    page('research/measuring.md', { verdicts: verdictTable() }),
    ['docs/images/report.svg', reportPicture(summary)],
    ['docs/examples/pool-size-report.md', renderMarkdown(documentOf(summary), exampleName)],
  ]);
}

/** The levels of two runs of the examples under one load, as the page's own command prints them. */
function compared(): string {
  const args = ['compare', exampleFolder, `${exampleFolder}-later`];
  const printed = execFileSync(process.execPath, ['src/cli/bin.mjs', ...args], { encoding: 'utf8' });
  const [, table] = /^\*\*(25 connections: [^\n]*\*\*\n\n(?:\|[^\n]*\n)+)/m.exec(printed) ?? [];
  if (table === undefined) throw new Error('the comparison of the examples has no table for 25 connections');
  return `**${table}`;
}

/** The scenario of the example service, which is run as it stands. */
function ownService(): string {
  const text = readFileSync('docs/examples/items/pgsweep.yaml', 'utf8');
  return `\`\`\`yaml\n${text.replace(/^# yaml-language-server.*\n/, '').trim()}\n\`\`\``;
}
