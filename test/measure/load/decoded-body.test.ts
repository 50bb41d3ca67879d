import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AnswerParser } from '../../../src/measure/load/answer-parser.ts';
import { decodedBody } from '../../../src/measure/load/decoded-body.ts';

const text = JSON.stringify({ id: 7, name: 'é'.repeat(5000) });
const bytes = Buffer.from(text);

describe('a body', () => {
  it.each([
    ['gzip', gzipSync(bytes)],
    ['x-gzip', gzipSync(bytes)],
    ['GZIP', gzipSync(bytes)],
    ['deflate', deflateSync(bytes)],
    ['br', brotliCompressSync(bytes)],
    ['identity', bytes],
  ])('is text however it is compressed: %s', (encoding, sent) => {
    expect(decodedBody(sent, [['content-encoding', encoding]])).toBe(text);
  });

  it('whose end is missing is the text of what there is', () => {
    const random = Array.from({ length: 3000 }, (_, i) => (Math.imul(i, 2654435761) >>> 0).toString(36)).join();
    for (const [encoding, sent] of [
      ['gzip', gzipSync(random)],
      ['br', brotliCompressSync(random)],
    ] as const) {
      const found = decodedBody(sent.subarray(0, sent.length / 2), [['content-encoding', encoding]]);
      expect(found.length).toBeGreaterThan(500);
      expect(random.startsWith(found)).toBe(true);
    }
  });

  it('that is broken, packed in another way or not at all stays as it came', () => {
    expect(decodedBody(bytes, [])).toBe(text);
    expect(decodedBody(bytes, [['content-encoding', 'gzip']])).toBe(text);
    expect(decodedBody(bytes, [['content-encoding', 'zstd']])).toBe(text);
    expect(decodedBody(Buffer.alloc(0), [['content-encoding', 'gzip']])).toBe('');
  });

  it('of an answer under load is unpacked where it is kept', () => {
    const packed = gzipSync(bytes);
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`;
    const parser = new AnswerParser({
      wantsBody: () => true,
      headers: ['content-encoding'],
      mostBodyBytes: 100_000,
    });
    parser.expect(false);
    expect(parser.execute(Buffer.concat([Buffer.from(head), packed]))).toBe('complete');
    expect(parser.body).toBe(text);
  });
});
