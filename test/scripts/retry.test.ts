import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';

/** The command of the Kubernetes job, with its results in that folder. */
function commandOfJob(results: string): string[] {
  const [, job] = parseAllDocuments(readFileSync('scripts/kubernetes/job.yaml', 'utf8')).map((one) => one.toJS());
  const { command, args } = job.spec.template.spec.containers[0];
  return [...command, args[0].replace('/results/shard-', `${results}/`)];
}

it.each([
  ['Kubernetes', commandOfJob],
  ['Slurm', () => ['bash', resolve('scripts/slurm/shards.sh')]],
])(
  'a task of %s that is started again resumes a journal that has records, and begins anew with an empty one',
  (_, commandOf) => {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-retry-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const program = join(folder, 'pgsweep');
    writeFileSync(program, '#!/bin/sh\necho "$*"\n');
    chmodSync(program, 0o755);
    mkdirSync(join(folder, '3'));
    const env = {
      PATH: `${folder}:${process.env.PATH}`,
      ...{ JOB_COMPLETION_INDEX: '3', SCENARIO: 'pgsweep.yaml', ROUNDS: '32' },
      ...{ SLURM_ARRAY_TASK_ID: '3', SLURM_ARRAY_TASK_COUNT: '8', SLURMD_NODENAME: 'node', RESULTS: folder },
    };
    const asked = (journal: string): string => {
      writeFileSync(join(folder, '3', 'journal.jsonl'), journal);
      const [command = '', ...args] = commandOf(folder);
      return execFileSync(command, args, { env, encoding: 'utf8' });
    };
    expect(asked('{}\n')).toBe(`sweep --resume ${folder}/3\n`);
    expect(asked('')).toMatch(/^sweep pgsweep\.yaml --shard \S+ --rounds 32 --out \S+\/3\n$/);
  },
);
