// The guard of a bench: it lives as long as its stdin is open, then ends what the bench has left behind, however the
// bench ended (SIGKILL and the OOM killer run no handler). Messages are lines of JSON, see reaper.ts. With a second
// argument it is `pgsweep clean`: the messages are those of a bench that died some time ago, so that whatever cannot be
// told for certain to be that bench's is left alone, what it may still use too, and what was found is printed.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import {
  identityOf,
  isCertainlySame,
  isRunning,
  isSameProcess,
  markedBy,
  maybeSame,
  postmasterIn,
  readProcess,
  sendSignal,
} from './reaper-processes.mjs';
import { removeSharedMemory } from './shared-memory.mjs';

const graceMs = Number(process.argv[2]);
const isLate = process.argv[3] !== undefined;
/** After a restart of the machine, pids and shared memory are others'. */
const isRebooted = process.argv[3] === 'left-before-boot';
const killedMs = 2000;
const pollMs = 25;
const commandMs = 60_000;
/** A process that was starting when the bench was killed gets its environment soon after. */
const looks = 3;
const lookMs = 100;

const watched = new Map();
const folders = new Map();
const commands = new Map();
const memories = [];
let ledger;
let mark;
let isClosing = false;

function receive(message) {
  if (message.watch) {
    const { pid } = message.watch;
    watched.set(pid, isLate ? message.watch : { startTime: readProcess(pid)?.startTime, ...message.watch });
  }
  if (message.forget) watched.delete(message.forget);
  if (message.folder) folders.set(message.folder, message.identity);
  if (message.forgetFolder) folders.delete(message.forgetFolder);
  if (message.command) commands.set(message.command.id, message.command);
  if (message.forgetCommand) commands.delete(message.forgetCommand);
  if (message.memory) memories.push(message.memory);
  if (message.mark) mark = message.mark;
  if (message.closing) isClosing = true;
  if (message.ledger && !isLate) ledger = message.ledger;
}

function tell(text) {
  if (isLate) process.stdout.write(`${text}\n`);
}

function remaining() {
  if (isRebooted) return [];
  const isOwn = isLate ? isCertainlySame : isSameProcess;
  return [...watched.values()].filter((target) => isOwn(target) && isRunning(target));
}

async function waitUntilGone(limitMs) {
  const end = Date.now() + limitMs;
  while (remaining().length > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, pollMs));
}

async function endProcesses() {
  for (const target of remaining()) {
    tell(`process ${target.pid} ended`);
    sendSignal(target, target.signal);
  }
  await waitUntilGone(graceMs);
  for (const target of remaining()) sendSignal(target, 'SIGKILL');
  await waitUntilGone(killedMs);
}

/** Ends what a killed bench had started and could not tell of any more, after what it told of has taken its own along. */
async function endMarked() {
  if (mark === undefined || isClosing || isRebooted) return;
  for (let look = 0; look < looks; look++) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, lookMs));
    for (const pid of markedBy(mark)) {
      const found = readProcess(pid);
      watched.set(pid, { pid, startTime: found?.startTime, signal: 'SIGTERM', group: found?.group === pid });
    }
    await endProcesses();
  }
}

/** How to end a process that may be the bench's, by whoever can tell. */
function howToEnd({ pid, group, signal }) {
  if (process.platform === 'win32') return `taskkill /T /PID ${pid}`;
  return `kill -s ${signal.slice('SIG'.length)} -- ${group ? -pid : pid}`;
}

/** Processes that run and may be the bench's, which this system cannot tell: they are left alone, and what they may use. */
function leaveUnsure() {
  const unsure = isLate && !isRebooted ? [...watched.values()].filter(maybeSame) : [];
  for (const target of unsure)
    tell(
      `process ${target.pid} could not be ended: this system does not say when a process started, so it may be another's by now. See what it is: ps -p ${target.pid}. If it is pgsweep's, end it: ${howToEnd(target)}`,
    );
  return unsure.map(({ pid }) => pid);
}

/** Why a folder has to stay; null if nothing may use it. */
function useOf(folder, unsure) {
  const postmaster = isLate ? postmasterIn(folder) : undefined;
  if (postmaster !== undefined)
    return `the Postgres of process ${postmaster} may still run in it. End it: kill -s INT ${postmaster}`;
  return unsure.length === 0 ? null : usedBy(unsure);
}

function usedBy(unsure) {
  return `process ${unsure.join(', ')} may still use it. Once that has ended, run pgsweep clean again`;
}

function removeFolder([folder, identity], unsure) {
  if (!existsSync(folder) || (isLate && identityOf(folder) !== identity)) return;
  const use = useOf(folder, unsure);
  if (use !== null) {
    tell(`folder ${folder} could not be removed: ${use}`);
    return;
  }
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    tell(`folder ${folder} removed`);
  } catch (error) {
    // The other folders can still go.
    tell(`folder ${folder} could not be removed: ${error.message}`);
  }
}

async function reap() {
  await endProcesses();
  await endMarked();
  const unsure = leaveUnsure();
  for (const { id, command, env } of [...commands.values()].reverse()) {
    if (unsure.length > 0) {
      tell(`${id} could not be removed: ${usedBy(unsure)}`);
      continue;
    }
    const [program, ...args] = command;
    const { status, stderr, error } = spawnSync(program, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: commandMs,
      env: { ...process.env, ...env },
    });
    const lastLine = String(stderr ?? '')
      .trim()
      .split('\n')
      .at(-1);
    const reason = error?.message || lastLine || `it ended with ${status}`;
    tell(status === 0 ? `${id} removed` : `${id} could not be removed: ${reason}`);
  }
  if (!isRebooted && unsure.length === 0)
    for (const memory of memories) for (const name of removeSharedMemory(memory, isLate)) tell(`${name} removed`);
  for (const folder of folders) removeFolder(folder, unsure);
  if (ledger) rmSync(ledger, { force: true });
}

// A signal meant for the bench is not the end of the guard: only the bench's end is.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  try {
    receive(JSON.parse(line));
  } catch {
    // Half a line: the bench was killed while it wrote.
  }
});
lines.on('close', async () => {
  await reap();
  process.exit(0);
});
