const MOST_LINES = 15;
/** Calls of a stack that are shown. */
const MOST_CALLS = 3;

const CALL = /^\s+at /;
/** A field of a printed error that holds nothing: `  hint: undefined,` of an error of node-postgres. */
const EMPTY_FIELD = /^\s+\[?[\w$'"]+\]?: (undefined|null),?$/;
/** The line that says what went wrong, with the fields and the stack below it indented. */
const ERROR = /^\S.*?(error|exception|panic|fatal)\w*\b.*: \S|^(\w*Error|error|panic|fatal): /i;

/** Last output of a process, as a sentence of a message. Its last error is in it; fields without a value and long stacks are not. */
export function lastLines(tail: readonly string[]): string {
  return tail.length === 0 ? 'It printed nothing.' : `Its last lines:\n${telling(tail)}`;
}

/** Last output of a service, to follow a message about a request to it; empty where it printed nothing. */
export function saidBy(tail: readonly string[]): string {
  return tail.length === 0 ? '' : `\nThe service's last lines:\n${telling(tail)}`;
}

function telling(tail: readonly string[]): string {
  const lines = withShortStacks(tail.filter((line) => !EMPTY_FIELD.test(line)));
  const error = lines.findLastIndex((line) => ERROR.test(line));
  const isAbove = error >= 0 && error < lines.length - MOST_LINES;
  const shown = isAbove ? [lines[error], '...', ...lines.slice(2 - MOST_LINES)] : lines.slice(-MOST_LINES);
  return shown.join('\n');
}

function withShortStacks(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let calls = 0;
  for (const line of [...lines, '']) {
    if (CALL.test(line)) {
      if (++calls <= MOST_CALLS) shown.push(line);
      continue;
    }
    if (calls > MOST_CALLS) shown.push(`    (${calls - MOST_CALLS} more calls)`);
    calls = 0;
    shown.push(line);
  }
  return shown.slice(0, -1);
}
