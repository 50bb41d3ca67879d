import { describe, expect, it } from 'vitest';
import { requestWriter } from '../../../src/measure/load/request-text.ts';
import type { GeneratedRequest } from '../../../src/measure/load/requests/generated-request.ts';

function written(request: Partial<GeneratedRequest>, url = 'http://127.0.0.1:3000'): string {
  return requestWriter(new URL(url))({ method: 'GET', path: '/items', name: 0, ...request }).bytes.toString();
}

it('goes to the path of the address, and then to its own', () => {
  for (const url of ['http://h/api', 'http://h/api/'])
    expect(written({}, url)).toMatch(/^GET \/api\/items HTTP\/1\.1\r\n/);
});

describe('the length of a body', () => {
  it('is sent with every body, and is 0 where a method that has one comes without', () => {
    expect(written({ method: 'POST', body: 'é' })).toMatch(/^content-length: 2\r\n\r\né$/m);
    for (const method of ['POST', 'PUT', 'PATCH']) expect(written({ method })).toMatch(/^content-length: 0\r\n\r\n$/m);
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS']) expect(written({ method })).not.toContain('length');
  });

  it('is sent once, whatever the headers of the request say', () => {
    const headers = { 'Content-Length': '7' };
    for (const body of ['', 'a']) {
      const lengths = written({ method: 'POST', headers, body }).match(/^content-length: .*/gim);
      expect(lengths).toEqual([`content-length: ${body.length}`]);
    }
  });
});
