import { PgsweepError } from '../../../base/errors.ts';

/** The Javas on which something runs, by their major versions. */
export interface JavaRange {
  readonly oldest: number;
  readonly newest: number;
}

interface Line {
  readonly line: string;
  /** The release of this line that is used where none is asked for. */
  readonly release: string;
  readonly java: JavaRange;
}

/** 2.x needs the Security Manager, which Java 24 has removed; 3.x is compiled for Java 21. The first that runs is used. */
const lines: readonly Line[] = [
  { line: '2', release: '2.19.6', java: { oldest: 11, newest: 23 } },
  { line: '3', release: '3.6.0', java: { oldest: 21, newest: Number.POSITIVE_INFINITY } },
];

/**
 * The OpenSearch release that was asked for, in full: `2.19.6` for itself, for `2.19` and for `2`. Throws
 * PgsweepError('stack') where it is of a line that is not known.
 */
export function fullRelease(asked: string): string {
  const isFull = /^\d+\.\d+\.\d+$/.test(asked);
  const known = lines.find(({ line, release }) =>
    isFull ? asked.startsWith(`${line}.`) : release.startsWith(`${asked}.`),
  );
  if (known !== undefined) return isFull ? asked : known.release;
  throw new PgsweepError('stack', `there is no embedded OpenSearch "${asked}"`, {
    hint: `Expected a release such as ${lines.map(({ release }) => release).join(' or ')}.`,
  });
}

/** The Javas for a release in full, or for any of ours. */
export function javaFor(release?: string): JavaRange {
  const ranges = lines.filter(({ line }) => release?.startsWith(`${line}.`) ?? true).map(({ java }) => java);
  return {
    oldest: Math.min(...ranges.map(({ oldest }) => oldest)),
    newest: Math.max(...ranges.map(({ newest }) => newest)),
  };
}

/** The release for a Java where none is asked for: 2.19.6 up to Java 23, else 3.6.0; undefined for one that is too old. */
export function releaseFor(javaMajor: number): string | undefined {
  return lines.find(({ java }) => suits(javaMajor, java))?.release;
}

export function suits(javaMajor: number, { oldest, newest }: JavaRange): boolean {
  return javaMajor >= oldest && javaMajor <= newest;
}

/** `11 to 23`, `21 or later` */
export function javaWords({ oldest, newest }: JavaRange): string {
  return newest < Number.POSITIVE_INFINITY ? `${oldest} to ${newest}` : `${oldest} or later`;
}
