import { ExitCode, PgsweepError } from '../base/errors.ts';
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

const [, script = '', ...args] = process.argv;
const name = callName({ script, cwd: process.cwd(), env: process.env });
const outName = isForPeople(args) ? name : 'pgsweep';

const exitCode = await runCli(args, {
  out: (text) => process.stdout.write(withCallName(outName, text)),
  err: (text) => process.stderr.write(withCallName(name, text)),
  outColour: process.stdout.isTTY === true && !process.env.NO_COLOR,
  outWidthColumns: process.stdout.columns || 120,
  terminal: process.stderr.isTTY === true ? process.stderr : null,
  signal: interrupt.signal,
});
// A pipe may be slower than we are.
process.stdout.write('', () => process.exit(exitCode));
