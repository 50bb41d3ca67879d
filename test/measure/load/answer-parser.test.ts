import { describe, expect, it } from 'vitest';
import { AnswerParser } from '../../../src/measure/load/answer-parser.ts';

const answer = Buffer.from(
  [
    'HTTP/1.1 103 Early Hints',
    'Set-Cookie: early=1',
    '',
    'HTTP/1.1 200 OK',
    'Server: x',
    'Set-Cookie: a=1',
    'set-cookie:  b=2 ',
    'Location: /items/1',
    'Content-Length: 6',
    '',
    'é€a',
  ].join('\r\n'),
);

function parsed(chunks: readonly Buffer[], mostBodyBytes = 100) {
  const parser = new AnswerParser({ wantsBody: () => true, headers: ['set-cookie', 'location'], mostBodyBytes });
  parser.expect(false);
  const last = chunks.map((chunk) => parser.execute(chunk)).at(-1);
  const { status, headers, body } = parser;
  return { last, status, headers, body };
}

const whole = {
  last: 'complete',
  status: 200,
  headers: [
    ['set-cookie', 'a=1'],
    ['set-cookie', 'b=2'],
    ['location', '/items/1'],
  ],
  body: 'é€a',
};

describe('an answer', () => {
  it('has the headers that are asked for, and its body', () => {
    expect(parsed([answer])).toEqual(whole);
  });

  it('is the same wherever its bytes are divided', () => {
    for (let at = 1; at < answer.length; at++)
      expect(parsed([answer.subarray(0, at), answer.subarray(at)]), String(at)).toEqual(whole);
    expect(parsed([...answer].map((byte) => Buffer.from([byte])))).toEqual(whole);
  });

  it('has no more of its body than is asked for', () => {
    expect(parsed([answer], 2).body).toBe('é');
  });

  it('leaves nothing behind for the next one', () => {
    const parser = new AnswerParser({ wantsBody: () => true, headers: ['location'] });
    parser.expect(false);
    parser.execute(answer);
    parser.expect(false);
    parser.execute(Buffer.from('HTTP/1.1 204 No Content\r\n\r\n'));
    expect([parser.status, parser.headers, parser.body]).toEqual([204, [], '']);
  });
});
