import { describe, expect, it } from 'vitest';
import { importedText, har as of } from './written.ts';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJvbmUifQ.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg';
const secrets = [
  'secret-of-header',
  'secret-of-key',
  'secret-of-cookie',
  'secret-of-query',
  'secret-of-body',
  'secret-of-list',
  'secret-of-form',
  'secret-of-path',
  'secret-of-url',
  'secret-of-tag',
  'secret-of-redirect',
  'secret-of-text',
  'secret-of-vendor',
  '48151623',
  jwt,
];

describe('what is imported', () => {
  it('has no secret in it, wherever that stood, and says which variables stand for them', async () => {
    const { text, mix } = await importedText(
      'a.har',
      of([
        {
          url: '/a?access_token=secret-of-query',
          headers: { authorization: 'Bearer secret-of-header', 'x-api-key': 'secret-of-key' },
        },
        { url: '/b', headers: { cookie: 'a=secret-of-cookie', 'x-session': 'secret-of-key' } },
        {
          method: 'POST',
          url: '/login',
          body: { user: 'me', password: 'secret-of-body', pin: 48151623, keys: ['secret-of-list'] },
        },
        {
          method: 'POST',
          url: '/form',
          body: 'user=me&passwd=secret-of-form',
          type: 'application/x-www-form-urlencoded',
        },
        { method: 'POST', url: '/text', body: `<a>${jwt}</a><Password>secret-of-tag</Password>`, type: 'text/xml' },
        { url: '/go?next=%2Fback%3Ftoken%3Dsecret-of-redirect' },
        { method: 'POST', url: '/inner', body: { payload: '{"apiKey":"secret-of-text"}' } },
        {
          method: 'POST',
          url: '/hook',
          body: { to: 'https://me:secret-of-url@example.com/', note: 'ghp_secretofvendor0123456789' },
        },
        { url: '/reset/secret-of-path' },
        { url: `/open/${jwt}` },
        { method: 'PROPFIND', url: '/reset/secret-of-path' },
      ]),
    );
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect([...mix.secrets.keys()].sort()).toEqual([
      'ACCESS_TOKEN',
      'AUTHORIZATION',
      'COOKIE',
      'KEYS',
      'NEXT_SECRET',
      'NOTE_SECRET',
      'PASSWD',
      'PASSWORD',
      'PAYLOAD_SECRET',
      'PIN_SECRET',
      'RESET_TOKEN',
      'SECRET',
      'TO_SECRET',
      'X_API_KEY',
      'X_SESSION',
    ]);
    expect(text).toContain('PROPFIND /reset/:id');
  });

  it('keeps an opaque text out that is under no key of a secret, and keeps words', async () => {
    const opaque = 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d';
    const { requests, text } = await importedText(
      'a.har',
      of([
        {
          method: 'POST',
          url: '/a',
          body: { cursor: opaque, slug: 'a-long-name-of-an-article-that-somebody-typed-in-2026' },
        },
      ]),
    );
    expect(text).not.toContain(opaque);
    expect(requests[0]?.body).toEqual({
      cursor: 'secret-value',
      slug: 'a-long-name-of-an-article-that-somebody-typed-in-2026',
    });
  });
});
