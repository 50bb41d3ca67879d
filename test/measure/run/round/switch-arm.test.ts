import { expect, it } from 'vitest';
import { PgsweepError } from '../../../../src/base/errors.ts';
import { switchTo } from '../../../../src/measure/run/round/switch-arm.ts';
import type { StartedTarget } from '../../../../src/measure/target/target.ts';
import { testScenario } from '../../../fixtures/scenario.ts';

const live = {
  settings: [],
  indexes: [],
  sql: [],
  reconnect: false,
  requests: [{ method: 'PUT', path: '/pool', headers: {} }],
  checks: [],
} as const;
const target: StartedTarget = {
  url: 'http://a.test',
  urls: ['http://a.test', 'http://b.test', 'http://c.test'],
  pid: 1,
  exited: new Promise(() => {}),
  tail: () => [],
  stop: async () => ({ killedAfterMs: null }),
};
const arm = { name: 'pool=5', repeat: false, slot: 0, variant: { name: 'pool=5', factors: {}, env: {}, live } };

async function switched(refusing: string | null, of = target): Promise<string[]> {
  const asked: string[] = [];
  const context = {
    scenario: testScenario(),
    stack: {
      databases: null,
      async switchService({ target: { url } }: { readonly target: Pick<StartedTarget, 'url'> }): Promise<void> {
        asked.push(url);
        if (url === refusing) throw new PgsweepError('target', 'PUT /pool was 500');
      },
    },
  };
  await switchTo(context, { arm, database: 'd', target: of, link: null }, new AbortController().signal);
  return asked;
}

it('every instance is switched, one after the other', async () => {
  expect(await switched(null)).toEqual(target.urls);
});

it('an instance that refuses is named', async () => {
  await expect(switched('http://b.test')).rejects.toThrow(
    'instance 1 of the running service was not switched to "pool=5": PUT /pool was 500',
  );
  const { urls: _, ...one } = target;
  await expect(switched('http://a.test', one)).rejects.toThrow('the running service was not switched to "pool=5"');
});
