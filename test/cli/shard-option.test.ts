import { describe, expect, it } from 'vitest';
import { shardAsked } from '../../src/cli/shard-option.ts';
import { run } from './in-process.ts';

describe('which share a task is', () => {
  const env = { index: 'env', count: 'env' } as const;

  it.each([
    ['by the option, whatever else is set', { index: 3, count: 8 }, { JOB_COMPLETION_INDEX: '0' }, [3, 8]],
    ['of an Indexed Job', env, { JOB_COMPLETION_INDEX: '0', JOB_COMPLETIONS: '8' }, [1, 8]],
    ['of an Indexed Job that sets no count', { index: 'env', count: 8 }, { JOB_COMPLETION_INDEX: '7' }, [8, 8]],
    [
      'of a Slurm array from 1',
      env,
      { SLURM_ARRAY_TASK_ID: '3', SLURM_ARRAY_TASK_MIN: '1', SLURM_ARRAY_TASK_MAX: '8', SLURM_ARRAY_TASK_COUNT: '8' },
      [3, 8],
    ],
    [
      'of a Slurm array with steps',
      env,
      {
        SLURM_ARRAY_TASK_ID: '4',
        SLURM_ARRAY_TASK_MIN: '0',
        SLURM_ARRAY_TASK_STEP: '2',
        SLURM_ARRAY_TASK_COUNT: '4',
      },
      [3, 4],
    ],
    ['of GitLab', env, { CI_NODE_INDEX: '2', CI_NODE_TOTAL: '4' }, [2, 4]],
    ['of CircleCI', env, { CIRCLE_NODE_INDEX: '2', CIRCLE_NODE_TOTAL: '4' }, [3, 4]],
  ] as const)('is told %s', (_, asked, variables, [index, count]) => {
    expect(shardAsked(asked, variables)).toEqual({ index, count });
  });

  it.each([
    ['nobody tells', {}, 'none of JOB_COMPLETION_INDEX, SLURM_ARRAY_TASK_ID'],
    ['the count is not told', { JOB_COMPLETION_INDEX: '1' }, 'JOB_COMPLETIONS is not'],
    [
      'an array has gaps',
      { SLURM_ARRAY_TASK_ID: '7', SLURM_ARRAY_TASK_MIN: '1', SLURM_ARRAY_TASK_COUNT: '3' },
      'SLURM_ARRAY_TASK_ID=7 is not one of 3 shards',
    ],
    ['it is no number', { CI_NODE_INDEX: '-1', CI_NODE_TOTAL: '2' }, 'CI_NODE_INDEX is "-1"'],
    ['it is too large', { JOB_COMPLETION_INDEX: '8', JOB_COMPLETIONS: '8' }, 'is not one of 8 shards'],
  ])('is refused where %s', (_, variables, message) => {
    expect(() => shardAsked(env, variables)).toThrow(message);
  });

  it.each(['0/8', '9/8', '3', '3/0', '1/1001', 'env/0', '-1/3'])('--shard %s is a mistake', async (text) => {
    const { code, err } = await run('sweep', '--shard', text);
    expect(code).toBe(2);
    expect(err).toContain('Expected i/n such as 3/8');
  });

  it.each([['--resume', 'somewhere'], ['--quick'], ['--size'], ['--gate', 'rps > -5%']])(
    '--shard does not go with %s',
    async (...args) => {
      const { code, err } = await run('sweep', '--shard', '1/2', ...args);
      expect(code).toBe(2);
      expect(err).toContain('cannot be used with');
    },
  );
});
