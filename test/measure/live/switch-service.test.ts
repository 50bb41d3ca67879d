import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { switchService } from '../../../src/measure/live/switch-service.ts';

it('compares what a service answers to a switch with all digits of its numbers', async () => {
  const server = createServer((_, response) => response.end('{"tenant":9007199254740993,"rate":1.10,"more":[1]}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const target = { url, exited: new Promise<string>(() => {}) };
  const verify = (held: Readonly<Record<string, string | number>>) =>
    switchService(
      { target, ready: null, signal: new AbortController().signal },
      {
        settings: [],
        indexes: [],
        sql: [],
        reconnect: false,
        requests: [],
        checks: [{ kind: 'request', path: '/', expect: held }],
      },
    );
  await verify({ tenant: '${number 9007199254740993}', rate: 1.1 });
  await expect(verify({ tenant: '${number 9007199254740992}' })).rejects.toThrow(
    'expected it to hold {"tenant":9007199254740992}',
  );
  await expect(verify({ other: 1 })).rejects.toThrow('expected it to hold {"other":1}');
});
