import { describe, expect, it } from 'vitest';
import { readClient, readServer } from '../../../../src/measure/link/watch/pg-messages.ts';

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

function startup(code: number, ...parts: Buffer[]): Buffer {
  const protocol = Buffer.alloc(4);
  protocol.writeInt32BE(code);
  return message('', protocol, ...parts);
}

const PROTOCOL_3 = 196_608;
const SSL_REQUEST = 80_877_103;
const session = [
  startup(SSL_REQUEST),
  startup(PROTOCOL_3, ...['user', 'me', 'options', '-c jit=off'].map(text), Buffer.from([0])),
  message('p', Buffer.from('a proof')),
  message('Q', text("SELECT 'Grüße'")),
  message('P', text('get'), text('SELECT $1'), Buffer.alloc(2)),
  message('B', text(''), text('get'), Buffer.alloc(6)),
  message('S'),
  message('P', text(''), text('SELECT 2'), Buffer.alloc(2)),
];
const seen = [
  { kind: 'encryption' },
  { kind: 'startup', parameters: ['user', 'options'] },
  { kind: 'query', sql: "SELECT 'Grüße'" },
  { kind: 'parse', name: 'get', sql: 'SELECT $1' },
  { kind: 'parse', name: '', sql: 'SELECT 2' },
];

describe('what a client sends', () => {
  it('is read the same however it is cut into pieces', () => {
    const bytes = Buffer.concat(session);
    for (const size of [1, 2, 3, 7, 20, bytes.length]) {
      const read = readClient();
      const found = [];
      for (let at = 0; at < bytes.length; at += size) found.push(...read(bytes.subarray(at, at + size)));
      expect(found).toEqual(seen);
    }
  });

  it('is passed over where it is no such protocol', () => {
    for (const bytes of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.alloc(20), startup(80_877_102)]) {
      const read = readClient();
      expect(read(bytes)).toEqual([]);
      expect(read(Buffer.concat(session))).toEqual([]);
    }
  });
});

describe('what a server answers', () => {
  it('has its errors, whatever stands before and between them', () => {
    const error = message(
      'E',
      text('SFATAL'),
      text('C08P01'),
      text('Munsupported startup parameter: options'),
      Buffer.from([0]),
    );
    const bytes = Buffer.concat([
      Buffer.from('N'),
      message('R', Buffer.alloc(4)),
      error,
      message('Z', Buffer.from('I')),
    ]);
    for (const size of [1, 3, bytes.length]) {
      const { read, answersByte } = readServer();
      answersByte();
      const found = [];
      for (let at = 0; at < bytes.length; at += size) found.push(...read(bytes.subarray(at, at + size)));
      expect(found).toEqual([{ code: '08P01', text: 'unsupported startup parameter: options' }]);
    }
  });

  it('is not read, nor kept, once it is encrypted', () => {
    const { read, answersByte } = readServer();
    const bytes = message('E', text('C08P01'), text('Mby chance'), Buffer.from([0]));
    // It did not agree to GSSENCRequest, and then did to SSLRequest.
    answersByte();
    expect(read(Buffer.from('N'))).toEqual([]);
    answersByte();
    expect(read(Buffer.concat([Buffer.from('S'), bytes]))).toEqual([]);
    expect(read(bytes)).toEqual([]);
  });
});
