import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { ProcessRow } from '../../../src/probe/machine/process-table.ts';
import { backendBytes, bytesPerRequest, connectionsOf } from '../../../src/probe/sockets/backend-bytes.ts';
import { parseSockets, whyNoSockets } from '../../../src/probe/sockets/socket-list.ts';
import { present, testArm, testContext, wholeLoad } from '../probe-context.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('what ss prints', () => {
  it('is read: addresses of both kinds, the processes, and payload without what was sent again', () => {
    expect(parseSockets(recorded)).toEqual([]);
  });
});

const recorded = '';
