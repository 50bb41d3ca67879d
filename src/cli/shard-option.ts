import { type Command, InvalidArgumentError, Option } from 'commander';
import { PgsweepError } from '../base/errors.ts';
import { MOST_SHARDS, type Shard } from '../journal/run/shard-records.ts';

/** Option that divides the work: `3/8`, or the environment's default. */
export interface AskedShard {
  readonly index: number | 'env';
  readonly count: number | 'env';
}

export interface ShardOption {
  readonly shard?: AskedShard;
}

/** Environment variables in which a scheduler gives a task its number. */
interface Scheduler {
  /** The variable that holds the place of the task. */
  readonly index: string;
  /** The place of the first task, and how far two are apart. */
  readonly first: (env: NodeJS.ProcessEnv) => number;
  readonly step: (env: NodeJS.ProcessEnv) => number;
  /** The variable that holds how many there are, where there is one. */
  readonly count: string;
}

/**
 * An Indexed Job of Kubernetes sets JOB_COMPLETION_INDEX, from 0, and nothing else: JOB_COMPLETIONS is for the manifest to
 * set (ours does). A Slurm array may begin anywhere. GitLab counts from 1, CircleCI from 0.
 */
const schedulers: readonly Scheduler[] = [
  { index: 'JOB_COMPLETION_INDEX', first: () => 0, step: () => 1, count: 'JOB_COMPLETIONS' },
  {
    index: 'SLURM_ARRAY_TASK_ID',
    first: (env) => numberIn(env, 'SLURM_ARRAY_TASK_MIN'),
    step: (env) => (env.SLURM_ARRAY_TASK_STEP === undefined ? 1 : numberIn(env, 'SLURM_ARRAY_TASK_STEP')),
    count: 'SLURM_ARRAY_TASK_COUNT',
  },
  { index: 'CI_NODE_INDEX', first: () => 1, step: () => 1, count: 'CI_NODE_TOTAL' },
  { index: 'CIRCLE_NODE_INDEX', first: () => 0, step: () => 1, count: 'CIRCLE_NODE_TOTAL' },
];

/** The option of the command that measures. */
export function withShardOption(command: Command, conflicting: readonly string[]): Command {
  return command.addOption(
    new Option(
      '--shard <i/n>',
      'run shard i of n of a fixed plan, for pgsweep merge: 3/8; with env/8 or env, Kubernetes, Slurm, GitLab or CircleCI sets the numbers',
    )
      .argParser(parseShard)
      .conflicts([...conflicting]),
  );
}

/** For commander: `3/8`, `env/8`, `env`. */
function parseShard(text: string): AskedShard {
  if (text === 'env') return { index: 'env', count: 'env' };
  const [, index = '', count = ''] = /^(\d{1,4}|env)\/(\d{1,4})$/.exec(text) ?? [];
  const asked: AskedShard = { index: index === 'env' ? 'env' : Number(index), count: Number(count) };
  const isShare = asked.index === 'env' || isShard({ index: asked.index, count: Number(count) });
  if (!isShare || Number(count) < 1 || Number(count) > MOST_SHARDS) {
    throw new InvalidArgumentError(`Expected i/n such as 3/8 (1 to ${MOST_SHARDS}), env/8 or env.`);
  }
  return asked;
}

function isShard({ index, count }: Shard): boolean {
  return index >= 1 && index <= count && count <= MOST_SHARDS;
}

/** The shard that was asked for, by number or by the environment. Throws PgsweepError `usage` if the environment does not say. */
export function shardAsked({ index, count }: AskedShard, env: NodeJS.ProcessEnv): Shard {
  if (index !== 'env') return { index, count: Number(count) };
  const scheduler = schedulers.find((one) => env[one.index] !== undefined);
  if (scheduler === undefined) {
    const variables = schedulers.map((one) => one.index).join(', ');
    throw new PgsweepError('usage', `--shard env: none of ${variables} is set`, {
      hint: 'Name the shard: --shard 3/8.',
    });
  }
  if (count === 'env' && env[scheduler.count] === undefined) {
    throw new PgsweepError('usage', `--shard env: ${scheduler.index} is set, and ${scheduler.count} is not`, {
      hint: 'Say how many shards there are: --shard env/8.',
    });
  }
  const of = count === 'env' ? numberIn(env, scheduler.count) : count;
  const shard = { index: 1 + (numberIn(env, scheduler.index) - scheduler.first(env)) / scheduler.step(env), count: of };
  if (Number.isInteger(shard.index) && isShard(shard)) return shard;
  throw new PgsweepError(
    'usage',
    `--shard env: ${scheduler.index}=${env[scheduler.index]} is not one of ${of} shards`,
    {
      hint: 'The numbers of this array have gaps, so pgsweep cannot find the shard. Name it: --shard 3/8.',
    },
  );
}

function numberIn(env: NodeJS.ProcessEnv, variable: string): number {
  const text = env[variable] ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new PgsweepError('usage', `--shard env: ${variable} is ${JSON.stringify(text)}: expected a whole number`);
}
