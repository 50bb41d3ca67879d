// The guard of a bench: it lives as long as its stdin is open, then ends what the bench has left behind, however the
// bench ended (SIGKILL and the OOM killer run no handler). Messages are lines of JSON, see reaper.ts.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { isRunning, isSameProcess, readProcess, sendSignal } from './reaper-processes.mjs';

const graceMs = Number(process.argv[2]);
const killedMs = 2000;
const pollMs = 25;
const commandMs = 60_000;

const watched = new Map();
const folders = new Set();
const commands = new Map();

function receive(message) {
  if (message.watch) {
    const { pid } = message.watch;
    watched.set(pid, { startTime: readProcess(pid)?.startTime, ...message.watch });
  }
  if (message.forget) watched.delete(message.forget);
  if (message.folder) folders.add(message.folder);
  if (message.forgetFolder) folders.delete(message.forgetFolder);
  if (message.command) commands.set(message.command.id, message.command);
  if (message.forgetCommand) commands.delete(message.forgetCommand);
}

function remaining() {
  return [...watched.values()].filter((target) => isSameProcess(target) && isRunning(target));
}

async function waitUntilGone(limitMs) {
  const end = Date.now() + limitMs;
  while (remaining().length > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, pollMs));
}

async function reap() {
  for (const target of remaining()) sendSignal(target, target.signal);
  await waitUntilGone(graceMs);
  for (const target of remaining()) sendSignal(target, 'SIGKILL');
  await waitUntilGone(killedMs);
  for (const { command, env } of [...commands.values()].reverse()) {
    const [program, ...args] = command;
    spawnSync(program, args, { stdio: 'ignore', timeout: commandMs, env: { ...process.env, ...env } });
  }
  for (const folder of folders) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    } catch {
      // Nobody is left to tell; the other folders can still go.
    }
  }
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
