import { readFileSync } from 'node:fs';
import { documentOf } from '../../src/report/document.ts';
import { renderMarkdown } from '../../src/report/formats/markdown.ts';
import { scenarioJsonSchema } from '../../src/scenario/schema.ts';
import { commandHelp } from './command-help.ts';
import { exampleExcerpt, exampleFolder, exampleName, exampleSummary } from './example-run.ts';
import { withPart } from './marked-parts.ts';
import { reportPicture } from './picture.ts';
import { scenarioTables } from './scenario-tables.ts';

/** Every file of the docs that is made, or has parts that are, with its content as it should be now. */
export async function madeFiles(): Promise<Map<string, string>> {
  const summary = exampleSummary();
  const page = (file: string, parts: Readonly<Record<string, string>>): [string, string] => [
    file,
    Object.entries(parts).reduce((text, [name, part]) => withPart(text, name, part), readFileSync(file, 'utf8')),
  ];
  return new Map([
    page('README.md', { example: exampleExcerpt(summary), 'own service': ownService() }),
    page('docs/scenario.md', { keys: scenarioTables(scenarioJsonSchema()) }),
    page('docs/commands.md', { help: await commandHelp() }),
    page('docs/github.md', { workflow: workflow() }),
    ['docs/images/report.svg', await reportPicture(summary)],
    [`${exampleFolder}/report.md`, renderMarkdown(documentOf(summary), exampleName)],
  ]);
}

/** That of a pull request, which people copy. */
function workflow(): string {
  return `\`\`\`yml\n${readFileSync('scripts/github/pull-request.yml', 'utf8').trim()}\n\`\`\``;
}

/** The scenario of the example service, which is run as it stands. */
function ownService(): string {
  const text = readFileSync('docs/examples/items/pgsweep.yaml', 'utf8');
  return `\`\`\`yaml\n${text.replace(/^# yaml-language-server.*\n/, '').trim()}\n\`\`\``;
}
