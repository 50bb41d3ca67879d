import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocket } from 'node:net';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { debianPackages, libraryPath } from '../../../support/debian-package.ts';

const run = promisify(execFile);
const scripts = resolve('scripts/slurm');

const packages = await debianPackages(
  'slurmctld',
  'slurmd',
  'slurm-client',
  'slurm-wlm-basic-plugins',
  'libmunge2',
  'libhwloc15',
  'libjson-c5',
  'libnuma1',
  'libyaml-0-2',
  'liblua5.1-0',
);

/** A cluster of one node: this machine, with a controller and a daemon of the user's own on free ports. */
interface Cluster {
  readonly env: NodeJS.ProcessEnv;
  client(name: string, ...args: string[]): Promise<string>;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createSocket();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

async function startCluster(folder: string, unpacked: string): Promise<Cluster> {
  const [controller, daemon] = [await freePort(), await freePort()];
  const node = hostname().split('.')[0] ?? 'localhost';
  const plugins = join(libraryPath(unpacked).split(':')[0] ?? '', 'slurm-wlm');
  for (const name of ['state', 'spool']) mkdirSync(join(folder, name));
  const config = join(folder, 'slurm.conf');
  writeFileSync(
    config,
    `ClusterName=pgsweep
SlurmctldHost=${node}(127.0.0.1)
SlurmctldPort=${controller}
SlurmdPort=${daemon}
SlurmUser=${userInfo().username}
SlurmdUser=${userInfo().username}
AuthType=auth/none
CredType=cred/none
PluginDir=${plugins}
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
NodeName=${node} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=${node} Default=YES MaxTime=10 State=UP
`,
  );
  const path = ['bin', 'sbin'].map((bin) => join(unpacked, 'usr', bin)).join(':');
  const env = {
    ...process.env,
    SLURM_CONF: config,
    LD_LIBRARY_PATH: `${plugins}:${libraryPath(unpacked)}`,
    PATH: `${path}:${process.env.PATH}`,
  };
  const started: ChildProcess[] = [];
  for (const [program, ...args] of [
    ['slurmctld-wlm', '-D', '-f', config],
    ['slurmd-wlm', '-D', '-f', config, '-N', node, '-d', join(unpacked, 'usr/sbin/slurmstepd-wlm')],
  ] as const) {
    started.push(spawn(join(unpacked, 'usr/sbin', program), args, { env, stdio: 'ignore' }));
  }
  const ended = started.map((child) => new Promise((settle) => child.once('close', settle)));
  const client = async (name: string, ...args: string[]): Promise<string> =>
    (await run(join(unpacked, 'usr/bin', name), args, { env, cwd: folder, timeout: 10_000 })).stdout;
  return {
    env,
    client,
    async stop() {
      // Of a test that has failed: the steps of a job do not end with the daemon.
      await client('scancel', '--full', `--user=${userInfo().username}`).catch(() => {});
      for (let tries = 0; tries < 50 && (await client('squeue', '-h').catch(() => '')).trim() !== ''; tries++)
        await sleep(200);
      for (const child of started) child.kill('SIGTERM');
      await Promise.all(ended);
    },
  };
}

describe('a Slurm array', { skip: packages === null }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-slurm-'));
  const server = createServer((_, response) => void response.end('ok'));
  let cluster: Cluster | null = null;

  beforeAll(async () => {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    if (packages !== null) cluster = await startCluster(folder, packages);
  });
  afterAll(async () => {
    await cluster?.stop();
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  it('runs two shares, which are merged', async () => {
    if (cluster === null) throw new Error('no cluster');
    const { client, env } = cluster;
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const program = `#!/bin/sh\nexec "${process.execPath}" "${resolve('src/cli/bin.mjs')}" "$@"\n`;
    writeFileSync(join(bin, 'pgsweep'), program, { mode: 0o755 });
    writeFileSync(
      join(folder, 'pgsweep.yaml'),
      `target: { url: 'http://127.0.0.1:${(server.address() as AddressInfo).port}' }
variants: { A: {}, B: {} }
control: A
load: { connections: 2, slice: 300ms, warmup: 100ms, requests: [{ path: / }] }
`,
    );
    const until = async (what: string, is: () => Promise<boolean>): Promise<void> => {
      for (let tries = 0; tries < 600; tries++) {
        if (await is().catch(() => false)) return;
        await sleep(200);
      }
      const logs = ['slurmctld.log', 'slurmd.log', 'pgsweep-1.log']
        .map((name) => join(folder, name))
        .filter(existsSync);
      throw new Error(`${what}:\n${logs.map((log) => readFileSync(log, 'utf8').slice(-3000)).join('\n')}`);
    };
    await until('the node is not idle', async () => /idle/.test(await client('sinfo', '-h', '-o', '%T')));
    const asked = ['--parsable', '--array=1-2', '--cpus-per-task=1', '--exclusive=user'];
    const path = `PATH=${bin}:${env.PATH},ROUNDS=4`;
    const array = (await client('sbatch', ...asked, `--export=ALL,${path}`, join(scripts, 'shards.sh'))).trim();
    const after = [`--dependency=afterany:${array}`, `--export=ALL,${path}`];
    await client('sbatch', ...after, join(scripts, 'merge.sh'));
    await until('the jobs do not end', async () => (await client('squeue', '-h')).trim() === '');
    const log = readFileSync(join(folder, 'pgsweep-merge.log'), 'utf8');
    expect(log).toContain('By machine');
    const summary = JSON.parse(readFileSync(join(folder, 'merged', 'summary.json'), 'utf8'));
    expect(summary.run.rounds).toBe(4);
    expect(summary.machines.machines).toMatchObject([{ shards: [1, 2] }]);
  });
});
