import { blocksOf, pages } from './pages.ts';

/** A line of a `sh` block, and what is run of it. */
export interface DocumentedCommand {
  /** `docs/stacks.md:20` */
  readonly place: string;
  readonly line: string;
  /** What a test runs in its place; null where it is left out. */
  readonly run: string | null;
  /** Why it is left out; null where it is run. */
  readonly leftOut: string | null;
}

/** The commands of a block, which are run one after the other in the same folder. */
export interface Session {
  readonly place: string;
  readonly commands: readonly DocumentedCommand[];
}

interface Rule {
  readonly of: RegExp;
  /** What is run, as for `String.replace`. */
  readonly run?: string;
  readonly leftOut?: string;
}

/** The first that fits decides; a line that none fits is run as it stands. */
const rules: readonly Rule[] = [
  { of: /^npm ci && (npm run sweep)$/, run: '$1 -- --quick' },
  { of: /^npm run sweep$/, run: '$& -- --quick' },
  { of: /^npm run sweep -- (?!.*--quick).*$/, run: '$& --quick' },
  { of: /^node \S+with-mariadb\.mjs npm run sweep -- (?!.*--quick).*$/, run: '$& --quick' },
  {
    of: /^(npm run bulk-load --|scripts\/bulk-load-performance\.sh)(?!.*(--documents|--list-variants)).*$/,
    run: '$& --documents 200',
  },
  { of: /^npm ci$/, leftOut: 'it would install anew what the test runs with' },
  { of: /^npm test$|^npm run (test:|check)/, leftOut: 'a test command, which has its own place in .ci/run' },
  { of: /^npm run (docs|schema)$/, leftOut: 'it writes into the repository; npm test holds that nothing would change' },
  // Here it is not installed: it is this clone.
  { of: /^cp -r node_modules\/pgsweep\/(.*)$/, run: 'cp -r $1' },
  { of: /^docker /, leftOut: 'it pulls an image' },
];

/** Every `sh` block of README and docs: those that take least time first, so that a short time shows most of them. */
export function documentedSessions(): Session[] {
  const sessions = pages.flatMap((page) =>
    blocksOf(page)
      .filter(({ language }) => language === 'sh')
      .map(({ line, text }) => ({ place: `${page}:${line}`, commands: commandsIn(`${page}:${line}`, text) })),
  );
  return sessions.sort((a, b) => costOf(a) - costOf(b));
}

function commandsIn(place: string, text: string): DocumentedCommand[] {
  const found = text
    .split('\n')
    .map((line) => line.replace(/ +# .*$/, '').trim())
    .filter((line) => line !== '')
    .map((line) => ({ place, line, ...decided(line) }));
  // `npm run sweep` after `npm run sweep -- --quick` would be the same once more.
  return found.filter(({ run }, index) => run === null || found.findIndex((other) => other.run === run) === index);
}

function decided(line: string): Pick<DocumentedCommand, 'run' | 'leftOut'> {
  const rule = rules.find(({ of }) => of.test(line));
  if (rule === undefined) return { run: line, leftOut: null };
  return { run: rule.run === undefined ? null : line.replace(rule.of, rule.run), leftOut: rule.leftOut ?? null };
}

/** A quick sweep takes about a minute, one of many variants several; all else some seconds. */
function costOf({ commands }: Session): number {
  const costs = commands.map(({ run }) => {
    if (run === null || !/ sweep --/.test(run)) return 0;
    return run.includes('index-and-lock') ? 10 : 1;
  });
  return costs.reduce<number>((sum, cost) => sum + cost, 0);
}
