// A bench that the reaper's test kills: a child with a child of its own, one that it has not told of, and a folder.
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnWatched } from '../../../src/base/process/child-process.ts';
import { openLedger } from '../../../src/base/process/ledger.ts';
import { startReaper } from '../../../src/base/process/reaper.ts';

const reaper = startReaper({ graceMs: 300, ledger: openLedger(null) });
const folder = mkdtempSync(join(tmpdir(), 'pgsweep-reaper-'));
reaper.watchFolder(folder);
const child = await spawnWatched({ command: 'sleep 600 & echo $!; wait', reaper });
const stubborn = await spawnWatched({ command: "trap '' TERM; echo ready; while :; do sleep 0.1; done", reaper });
while (child.tail().length === 0 || stubborn.tail().length === 0) await sleep(10);
const env = { ...process.env, ...reaper.mark };
const untold = spawn('sleep', ['600'], { stdio: 'ignore', detached: true, env });
const grandchild = Number(child.tail()[0]);
console.log(JSON.stringify({ folder, pids: [reaper.pid, child.pid, grandchild, stubborn.pid, untold.pid] }));
setInterval(() => {}, 1000);
