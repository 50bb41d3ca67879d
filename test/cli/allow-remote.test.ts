import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isLoopback } from '../../src/base/loopback.ts';
import { requireAllowed } from '../../src/cli/allow-remote.ts';
import type { Variant } from '../../src/journal/scenario-record.ts';
import { run } from './in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-remote-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a URL is on this machine', () => {
  it.each([
    'http://127.0.0.1:3000',
    'http://localhost',
    'https://[::1]:8443/a',
    'http://127.1',
    'http://0x7f000001',
    'http://[::ffff:127.0.0.1]',
  ])('%s', (url) => expect(isLoopback(url)).toBe(true));
});

describe('a URL may be anywhere', () => {
  it.each([
    'http://127.evil.example',
    'http://localhost.evil.example',
    'http://10.0.0.1',
    'http://[::2]',
    'http://0.0.0.0',
    'http://[::ffff:7.241.0.1]',
    'http://[::ffff:7f]',
    'http://127.0.0.1@evil.example/',
    'http://evil.example/?127.0.0.1',
  ])('%s', (url) => expect(isLoopback(url)).toBe(false));
});

const variant = (name: string, url?: string): Variant => ({ name, factors: {}, env: {}, ...(url && { url }) });

it('every variant is looked at, and a target whose URL no variant uses is not', () => {
  const local = 'http://127.0.0.1:1';
  const target = { kind: 'url', url: 'http://10.0.0.1' } as const;
  expect(() => requireAllowed(target, [variant('a', local), variant('b', local)], {})).not.toThrow();
  expect(() => requireAllowed(target, [variant('a', local), variant('b')], {})).toThrow(
    /the load of "b" would go to 10\.0\.0\.1/,
  );
  expect(() => requireAllowed(target, [variant('b')], { allowRemote: true })).not.toThrow();
});

it('sweep and bulk-load put no load elsewhere, and leave no folder', async () => {
  const file = join(folder, 'remote.yaml');
  const out = join(folder, 'out');
  writeFileSync(
    file,
    "title: x\ntarget: { url: 'http://user:password-of-nobody@192.0.2.1' }\nvariants: { A: {}, B: {} }\ncontrol: A\nload: { connections: 1, requests: [{ path: / }] }\n",
  );
  for (const args of [
    ['sweep', file, '--out', out],
    ['bulk-load', '--base-url', 'http://user:password-of-nobody@192.0.2.1', '--out', out],
  ]) {
    const { code, err } = await run(...args);
    expect(err).toMatch(/would go to 192\.0\.2\.1, which is not this machine\n.*--allow-remote/);
    expect(err).not.toContain('password-of-nobody');
    expect(code).toBe(2);
    expect(existsSync(out)).toBe(false);
  }
});
