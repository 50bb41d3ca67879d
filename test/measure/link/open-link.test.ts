import { expect, it } from 'vitest';
import type { LinkKind, LinkOptions } from '../../../src/measure/link/link.ts';
import { openChain, openLink } from '../../../src/measure/link/open-link.ts';

const options = {
  variant: { name: 'A', factors: {}, env: {} },
  databaseUrl: 'postgres://db',
  signal: new AbortController().signal,
} as unknown as LinkOptions;

function kind(name: string, log: string[], failing: 'open' | 'close' | null = null): LinkKind {
  return {
    isWanted: () => true,
    async open({ databaseUrl }) {
      if (failing === 'open') throw new Error(`${name} does not open`);
      log.push(`open ${name} before ${databaseUrl}`);
      return {
        url: `${name}>${databaseUrl}`,
        pids: [name.length],
        verify: async () => ({}),
        async close() {
          log.push(`close ${name}`);
          if (failing === 'close') throw new Error(`${name} does not close`);
        },
      };
    },
  };
}

it('is the direct way where the variant asks for nothing', async () => {
  const link = await openLink(options);
  expect([link.url, link.pids, await link.verify()]).toEqual(['postgres://db', [], {}]);
  await link.close();
});

it('opens from the database to the service, and closes the other way round, once', async () => {
  const log: string[] = [];
  const link = await openChain([kind('pooler', log), kind('far', log)], options);
  expect([link.url, link.pids]).toEqual(['far>pooler>postgres://db', [6, 3]]);
  await link.close();
  await link.close();
  expect(log).toEqual([
    'open pooler before postgres://db',
    'open far before pooler>postgres://db',
    'close far',
    'close pooler',
  ]);
});

it('ends when a part that is watched does', async () => {
  const watched = (name: string, exited: Promise<string>): LinkKind => ({
    ...kind(name, []),
    open: async (how) => ({ ...(await kind(name, []).open(how)), exited }),
  });
  const runs = new Promise<string>(() => {});
  const link = await openChain([watched('pooler', runs), watched('far', Promise.resolve('far (SIGKILL)'))], options);
  expect(await link.exited).toBe('far (SIGKILL)');
  expect((await openChain([kind('pooler', [])], options)).exited).toBeUndefined();
});

it('leaves nothing open where a part cannot be opened, or closed', async () => {
  const log: string[] = [];
  await expect(openChain([kind('pooler', log), kind('far', log, 'open')], options)).rejects.toThrow(
    'far does not open',
  );
  expect(log).toEqual(['open pooler before postgres://db', 'close pooler']);
  log.length = 0;
  const link = await openChain([kind('pooler', log), kind('far', log, 'close')], options);
  await expect(link.close()).rejects.toThrow('far does not close');
  expect(log.slice(2)).toEqual(['close far', 'close pooler']);
});
