import { expect, it } from 'vitest';
import { openStream } from '../../../src/measure/load/streams.ts';

it('a load that this program does not send has no stream', () => {
  const source = {
    names: [],
    next() {
      throw new Error('nothing is sent');
    },
  };
  const job = { url: 'http://127.0.0.1:1', seed: 1, timeoutMs: 1000 };
  expect(() => openStream({ ...job, load: { connections: 2, of: 'bulk' } }, source)).toThrow(
    'there is no load of bulk load, 2 connections',
  );
  expect(() => openStream({ ...job, load: { users: 2 } }, source)).toThrow('users go through a script');
});
