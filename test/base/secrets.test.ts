import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createMasker, maskKnown, maskKnownTexts, rememberSecret, secretDigests } from '../../src/base/secrets.ts';

const folder = mkdtempSync(join(tmpdir(), 'pgsweep-masks-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a digest', () => {
  const env = { XDG_CACHE_HOME: folder };

  it('is the same for the same secret at the same place, by a key that only the user can read', () => {
    const [one, again] = [secretDigests(env), secretDigests(env)];
    expect(one.key).toBe(again.key);
    expect(one.of('target.env.A', 'x')).toBe(again.of('target.env.A', 'x'));
    expect(one.of('target.env.A', 'x')).not.toBe(one.of('target.env.A', 'y'));
    expect(one.of('target.env.A', 'x')).not.toBe(one.of('target.env.B', 'x'));
    expect(statSync(join(folder, 'pgsweep', 'secrets', 'key')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'pgsweep', 'secrets')).mode & 0o777).toBe(0o700);
  });

  it('cannot be made by who has another key', () => {
    const other = secretDigests({ XDG_CACHE_HOME: join(folder, 'other') });
    expect(other.key).not.toBe(secretDigests(env).key);
    expect(other.of('a', 'weak')).not.toBe(secretDigests(env).of('a', 'weak'));
  });

  it('has a whole key also where a full disk had left half of one', () => {
    const half = { XDG_CACHE_HOME: join(folder, 'half') };
    const { key } = secretDigests(half);
    const file = join(folder, 'half', 'pgsweep', 'secrets', 'key');
    truncateSync(file, 0);
    expect(secretDigests(half).key).toMatch(/^[0-9a-f]{12}$/);
    expect(secretDigests(half).key).not.toBe(key);
    expect(statSync(file)).toMatchObject({ size: 32 });
  });

  it('is empty where no key can be kept', () => {
    const open = join(folder, 'open', 'pgsweep');
    mkdirSync(open, { recursive: true });
    chmodSync(open, 0o777);
    const none = secretDigests({ XDG_CACHE_HOME: join(folder, 'open') });
    expect([none.key, none.of('a', 'b')]).toEqual([null, '']);
  });
});

describe('known secrets', () => {
  it('are masked in every form, the longest first; short and everyday ones are not', () => {
    for (const one of ['hunter2', 'hunter2-and-more', 'a "quoted" one', 'true', '5432', 'abc']) rememberSecret(one);
    expect(maskKnown('hunter2-and-more hunter2 {"x":"a \\"quoted\\" one"} a%20%22quoted%22%20one true 5432 abc')).toBe(
      '*** *** {"x":"***"} *** true 5432 abc',
    );
    expect(maskKnownTexts({ rows: [{ statement: "SELECT 'hunter2'", calls: 5 }] })).toEqual({
      rows: [{ statement: "SELECT '***'", calls: 5 }],
    });
  });

  it('leave the names in errors of Postgres, which may be the same word', () => {
    rememberSecret('items');
    rememberSecret('created_at');
    const errors = [
      'column "items" does not exist',
      'column items.created_at does not exist',
      'relation "shop.items" does not exist',
      '{"error":"column \\"created_at\\" of relation \\"items\\" does not exist"}',
    ];
    for (const error of errors) expect(maskKnown(error)).toBe(error);
    expect(maskKnown('password "items", postgres://u:items@host')).toBe('password "***", postgres://u:***@host');
  });

  it('are masked in a stream, wherever its chunks part, and all other bytes are kept', () => {
    for (const secret of ['pass-wörd-of-the-service', 'wörd', 'service-and-more']) rememberSecret(secret);
    const whole = Buffer.concat([
      Buffer.from([0xff, 0x00, 0x80]),
      Buffer.from('x pass-wörd-of-the-service pass-wörd-of-the-service-and-more pass-wör service-and wörd pass-'),
    ]);
    const expected = Buffer.concat([
      Buffer.from([0xff, 0x00, 0x80]),
      Buffer.from('x *** ***-and-more pass-wör service-and *** pass-'),
    ]);
    for (let at = 0; at <= whole.length; at++) {
      for (let next = at; next <= whole.length; next += 7) {
        const masker = createMasker();
        const parts = [whole.subarray(0, at), whole.subarray(at, next), whole.subarray(next)].map(masker.push);
        expect(Buffer.concat([...parts, masker.end()]).toString('latin1')).toBe(expected.toString('latin1'));
      }
    }
  });

  it('hold nothing back that cannot become one', () => {
    expect(createMasker().push(Buffer.from('a line\n')).toString()).toBe('a line\n');
  });
});
