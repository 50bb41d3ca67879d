import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodedTemplate } from '../../../src/scenario/import/found.ts';
import { mixFrom } from '../../../src/scenario/import/import.ts';
import { fileOf, importedText, mistakeOf, har as of } from './written.ts';

describe('a source', () => {
  it('is told by its name and how it begins, or is what it is said to be', async () => {
    const kinds = await Promise.all([
      importedText('capture.json', of([{ url: '/a' }])),
      importedText('log.txt', '{"method":"GET","url":"/a"}\n'),
      importedText('capture.txt', of([{ url: '/a' }]), { kind: 'har' }),
    ]);
    expect(kinds.map(({ requests }) => requests.map(({ path }) => path))).toEqual([['/a'], ['/a'], ['/a']]);
    expect(await mistakeOf('capture.txt', '{"log":1}', { kind: 'har' })).toContain('this is no HAR');
  });

  it('that cannot be read, or is too large, is a mistake of the command line', async () => {
    await expect(mixFrom('/nowhere/a.har', {})).rejects.toMatchObject({
      code: 'usage',
      message: /cannot be read: ENOENT/,
    });
    const large = fileOf('a.js', ' '.repeat(2 * 1024 * 1024 + 1));
    await expect(mixFrom(large, {})).rejects.toMatchObject({
      code: 'usage',
      message: /too large: expected at most 2 MB/,
    });
  });

  it('of a form keeps a placeholder after an escaped one without its end', () => {
    expect(encodedTemplate('a $${b&${env X}')).toBe('a%20%24%7Bb%26${env X encoded}');
  });

  it('of hostile texts becomes a scenario that can be loaded', async () => {
    const hostile = [
      '${env HOME}',
      '$${x}',
      '${unique',
      '*alias',
      '&anchor',
      '- a: b',
      '# no comment',
      'a\nb',
      '\u001b[31m',
      '\u202e',
      'null',
      '0x10',
      '',
    ];
    const body = Object.fromEntries(hostile.map((text, index) => [`${text || 'empty'} ${index}`, text]));
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
    const { requests, mix } = await importedText(
      'a.har',
      of([
        ...hostile.map((text, index) => ({
          method: 'POST',
          url: `/a${index}/${text}?q=${text}`,
          body: text,
          type: 'text/plain',
        })),
        { method: 'POST', url: '/all', body, headers: { 'x-a': '${env HOME}', 'x-b': 'a\r\nb', 'bad name': 'x' } },
        { method: 'POST', url: '/keys', body: '{"__proto__":1,"<<":2,"":3,"1":4,"n":1e999,"null":null}' },
        { method: 'POST', url: '/typed', body: { a: 1 }, type: 'application/x+json; a=${env HOME}' },
        { method: 'POST', url: '/deep', body: `{"a":${deep}}` },
        { method: 'POST', url: '/long', body: { text: 'a '.repeat(20_000) } },
        { url: `/${'a/'.repeat(2000)}` },
      ]),
    );
    const all = requests.find(({ name }) => name === 'POST /all');
    expect(all).toMatchObject({
      headers: { 'x-a': '$${env HOME}' },
      body: { '*alias 3': '*alias', 'null 10': 'null' },
    });
    expect(Object.values(all?.body ?? {})).toEqual(hostile.map((text) => text.replaceAll('${', () => '$${')));
    expect(all?.headers).not.toHaveProperty('x-b');
    expect(requests.find(({ name }) => name === 'POST /keys')?.body).toEqual({
      1: 4,
      n: '${number 1e999}',
      null: null,
    });
    expect(requests.find(({ name }) => name === 'POST /typed')?.headers).toEqual({});
    expect(mix.leftOut.map(({ why }) => why)).toEqual([
      'its address has more than 2000 characters or 50 parts',
      'its body is nested more than 50 levels',
      'its body is longer than 16000 characters',
    ]);
  });

  it('of very many kinds of request keeps the most frequent, and says what is missing', async () => {
    const body = (index: number): object => ({ [`key${index}`]: index });
    const { requests, mix } = await importedText(
      'a.har',
      of(Array.from({ length: 150 }, (_, index) => ({ method: 'POST', url: '/a', body: body(index) }))),
    );
    expect(requests).toHaveLength(100);
    expect(mix.leftOut).toHaveLength(50);
    expect(mix.leftOut[0]).toEqual({ what: 'POST /a', why: 'more than 100 kinds of request' });
  });

  it('is nested too deeply only where the stack has overflowed', async () => {
    const sorted = vi.spyOn(Array.prototype, 'toSorted');
    onTestFinished(() => sorted.mockRestore());
    const file = fileOf('a.har', of([{ method: 'GET', url: '/a' }]));
    const deep = (): never[] => [...deep()];
    sorted.mockImplementationOnce(deep);
    await expect(mixFrom(file, {})).rejects.toThrow(`${file} is nested too deeply to be read`);
    sorted.mockImplementationOnce(() => {
      throw new RangeError('Invalid array length');
    });
    await expect(mixFrom(file, {})).rejects.toThrow(new RangeError('Invalid array length'));
  });
});
