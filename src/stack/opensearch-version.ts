import { PgsweepError } from '../base/errors.ts';
import { javaInstallHint, searchOffHint } from './find-java.ts';

interface Line {
  readonly line: string;
  /** The release of this line that is used where none is asked for. */
  readonly release: string;
  readonly oldestJava: number;
  readonly newestJava: number;
}

/** 2.x needs the Security Manager, which Java 24 has removed; 3.x is compiled for Java 21. The first that runs is used. */
const lines: readonly Line[] = [
  { line: '2', release: '2.19.6', oldestJava: 11, newestJava: 23 },
  { line: '3', release: '3.6.0', oldestJava: 21, newestJava: Number.POSITIVE_INFINITY },
];

/**
 * The OpenSearch release that was asked for, or the first that runs on this Java: 2.19.6 up to Java 23, else 3.6.0.
 * Throws PgsweepError('stack') where the one asked for does not run on it, or is of a line that is not known.
 */
export function chooseOpenSearchVersion(javaMajor: number, asked?: string): string {
  const runsHere = lines.filter(({ oldestJava, newestJava }) => javaMajor >= oldestJava && javaMajor <= newestJava);
  const usual = runsHere[0];
  if (asked === undefined && usual) return usual.release;
  const known = lines.find(({ line }) => /^\d+\.\d+\.\d+$/.test(asked ?? '') && asked?.startsWith(`${line}.`));
  if (!known || asked === undefined) {
    throw new PgsweepError('stack', `there is no embedded OpenSearch "${asked}"`, {
      hint: `Expected a release such as ${lines.map(({ release }) => release).join(' or ')}.`,
    });
  }
  if (runsHere.includes(known)) return asked;
  const needed =
    known.newestJava < Number.POSITIVE_INFINITY
      ? `${known.oldestJava} to ${known.newestJava}`
      : `${known.oldestJava} or later`;
  const other = usual ? `ask for ${usual.release}, which runs on it. ` : '';
  throw new PgsweepError('stack', `OpenSearch ${asked} needs Java ${needed}; this machine has Java ${javaMajor}`, {
    hint: `${javaInstallHint()}, and point OPENSEARCH_JAVA_HOME at it; or ${other}${searchOffHint}`,
  });
}
