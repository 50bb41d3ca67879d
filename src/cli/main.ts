import { fstatSync } from 'node:fs';
import { ExitCode, messageOf, PgsweepError } from '../base/errors.ts';
import { asDiskError, writeWhole } from '../base/files/disk.ts';
import { callName, isForPeople, withCallName } from './called-as.ts';
import { runCli } from './program.ts';

/** The process: signals, streams and the exit code. Everything else can be called from a test. */

const interrupt = new AbortController();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // The second time somebody is in a hurry: the reaper cleans up after us.
    if (interrupt.signal.aborted) process.exit(ExitCode.interrupted);
    interrupt.abort(new PgsweepError('interrupted', 'interrupted'));
  });
}
// A reader that has gone is no error: `head` that has seen enough, a pager or a terminal that was closed, a `tee` that got the
// same Ctrl-C. What was started has to be stopped in order all the same.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

/** Why output is lost that goes to a file, as by `> report.txt`: its disk is full. Node would write a part, and not say so. */
let lost: unknown = null;
const { fd } = process.stdout;
const isFile = process.stdout.isTTY !== true && (fstatSync(fd).isFile() || fstatSync(fd).isCharacterDevice());

function writeOut(text: string): void {
  if (!isFile) process.stdout.write(text);
  else if (lost === null) {
    try {
      writeWhole(fd, text);
    } catch (error) {
      lost = asDiskError(error, 'the output');
    }
  }
}

const [, script = '', ...args] = process.argv;
const name = callName({ script, cwd: process.cwd(), env: process.env });
const outName = isForPeople(args) ? name : 'pgsweep';

const exitCode = await runCli(args, {
  out: (text) => writeOut(withCallName(outName, text)),
  err: (text) => process.stderr.write(withCallName(name, text)),
  outColour: process.stdout.isTTY === true && !process.env.NO_COLOR,
  outWidthColumns: process.stdout.columns || 120,
  terminal: process.stderr.isTTY === true ? process.stderr : null,
  signal: interrupt.signal,
});
if (lost !== null) process.stderr.write(`error: ${messageOf(lost)}\n`);
// A pipe may be slower than we are.
process.stdout.write('', () => process.exit(lost === null || exitCode !== ExitCode.done ? exitCode : ExitCode.unfit));
