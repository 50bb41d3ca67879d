import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** Words that nobody would say aloud, and better ones. A space also fits a line break; only the wrong use fits. */
const words: readonly (readonly [wrong: RegExp, better: string])[] = [
  [/(?<![-\w])(?:bears?|bearing|borne)\b/, 'sustains, is sustained, overloaded'],
  [/\b(?:go|goes|going|gone|went) on\b/, 'continue, resume, be resumed'],
  [/\b(?:is|are|was|were|be|been) told\b(?! to\b)/, 'is reported'],
  [/\b(?:told|tells?|telling) (?:\S+ ){0,4}apart\b/, 'distinguish'],
  [/\b(?:does|do|did) not tell\b/, 'does not say'],
  [/\bslices? (?:is |are |was |were )?void(?:ed)?\b|\bvoid(?:ed)? slices?\b/, 'discarded slice'],
  [/\bno more and no fewer\b/, 'exactly n rounds'],
  [/\bcan(?:not)? be said\b/, 'not decided yet; not known'],
  [/\bmend(?:s|ed|ing)?\b/, 'fix'],
  [/\b(?:hold|holds|held) [^.;:]{1,40} against\b|\bheld against\b/, 'compare A with B'],
  [/\b(?:is|are) let\b|\blets? pass\b/, 'is allowed'],
  [/\b(?:some|no|any|every)body(?:'|’)s\b|\bstrangers\b|\ba stranger\b/, "a user's, another process's, from elsewhere"],
  [/\banew\b/, 'again; recreate, restart'],
  // "Half of its own work" is right: a noun follows.
  [
    /\bof (?:its|their|your|his|our) own\b(?=[.,;:)'"`]|$| (?:and|or|for|in|on|to|by|where|which|that|with|without|from|before|since|than|is|are|has|can)\b)/,
    'its own port',
  ],
  [/\bin turn\b|\bhad (?:his|its) turn\b/, 'in order; alternately; the arm that just finished'],
  [/\bthereby\b/, 'two sentences'],
];

/** A doc comment opens with the thing: "Mean latency, in ms." */
const openings = /^\/\*\*\s+(?:\*\s+)?(?:The same|What|Whether|Of)\b/;

/** Comments, strings and templates of a source file. */
const texts = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

/** Between two words of a phrase: spaces, or a line break with the mark of a comment or a quote. */
const GAP = '(?:\\s+(?:[*>]\\s+|//\\s+)?)';
const phrases = words.map(([wrong, better]) => [new RegExp(wrong.source.replaceAll(' ', GAP), 'gi'), better] as const);

/** `src/x.ts:3: "goes on": better continue, resume, be resumed`, for each. `isSource`: comments and strings alone are read. */
function mistakesIn(file: string, content: string, isSource: boolean): string[] {
  const lineAt = (index: number): number => content.slice(0, index).split('\n').length;
  const parts = isSource ? [...content.matchAll(texts)] : [{ 0: content, index: 0 }];
  return parts.flatMap(({ 0: text, index: from }) => {
    const found = phrases.flatMap(([wrong, better]) =>
      [...text.matchAll(wrong)].map(
        ({ 0: said, index }) =>
          `${file}:${lineAt(from + index)}: "${said.replace(/\s+(?:\*\s+)?/g, ' ')}": better ${better}`,
      ),
    );
    const opening = openings.exec(text)?.[0];
    if (opening !== undefined)
      found.push(
        `${file}:${lineAt(from)}: "${opening.replace(/\s+/g, ' ')} ...": better the thing itself, and its unit`,
      );
    return found;
  });
}

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => ending.test(file));
}

const read = (file: string): string => readFileSync(file, 'utf8');

describe('the English', () => {
  it('of comments, messages and help says things as one would say them', () => {
    const folders = ['src', 'scenarios/services/documents'];
    const sources = folders.flatMap((folder) => filesIn(folder, /\.m?[jt]s$/));
    const mistakes = sources.flatMap((file) => mistakesIn(file, read(file), true));
    expect(mistakes).toEqual([]);
  });

  it('of README and docs too', () => {
    const pages = ['README.md', 'CONTRIBUTING.md', ...filesIn('docs', /^docs\/[\w-]+\.md$/)];
    expect(pages.flatMap((file) => mistakesIn(file, read(file), false))).toEqual([]);
  });

  it('would be seen wrong, with file, line and a better word', () => {
    const content = [
      '/** Whether a run goes',
      ' * on; a slice void. */',
      "const gone = 'each arm has a port of its own, and half of its own work is told';",
      'const told = anew;',
    ].join('\n');
    expect(mistakesIn('src/x.ts', content, true)).toEqual([
      'src/x.ts:1: "goes on": better continue, resume, be resumed',
      'src/x.ts:2: "slice void": better discarded slice',
      'src/x.ts:1: "/** Whether ...": better the thing itself, and its unit',
      'src/x.ts:3: "is told": better is reported',
      'src/x.ts:3: "of its own": better its own port',
    ]);
  });
});
