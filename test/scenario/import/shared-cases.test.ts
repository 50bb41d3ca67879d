import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { imported } from './written.ts';

/** Inputs that failed once. The tests of each source have the same on fixtures of our own, for where these are not. */
const CASES = process.env.PGSWEEP_CASES ?? resolve('../shared/cases');

interface Outcome {
  /** Path, and the statuses that are expected beside 2xx. */
  readonly sent: readonly (readonly [path: string, statuses?: readonly number[]])[];
  readonly leftOut?: readonly string[];
}

const outcomes: Readonly<Record<string, Outcome>> = {
  'access-logs/common-crlf.log': { sent: [['/items/${pick 1 2}?limit=3']] },
  'access-logs/escapes.log': { sent: [['/search?q=%22a%22&p=%22b%22'], ['/caf%C3%A9/menu']] },
  'access-logs/fastify-two-pods.log': {
    sent: [['/items/1', [404]], ['/reports/slow'], ['/broken']],
    leftOut: ['GET /health/db: it was only answered with 5xx'],
  },
  'access-logs/nginx-json.log': { sent: [['/items/${pick 1 2 3}?limit=3']], leftOut: ['a line: it has no request'] },
  'access-logs/nginx-odd.log': {
    sent: [
      ['/items/${pick 1 3 5 6}?limit=3'],
      ['/items/%E4%BD%A0?limit=3'],
      ['/items?q=a%20b'],
      ['/items?filter=%7B%22a%22:[1,2]%7D&x=$%7Bjndi:ldap://x%7D'],
      ['//items//4?limit=3'],
    ],
    leftOut: [
      'a line: it has no request',
      'a line: it has no request',
      'a PRI: it names no path',
      'a OPTIONS: it names no path',
    ],
  },
  'access-logs/traefik-clf.log.gz': { sent: [['/items/${pick 1 2}?limit=3', [200, 404]]] },
  'har/bigint.har': { sent: [['/orders']] },
  'har/time-null.har': { sent: [['/items/${pick 1 2}'], ['/items']] },
  'har/two-days.har': {
    sent: [['/items/${pick 1 2 3}']],
    leftOut: ['a pause of more than 5 min: it is taken for the end of a visit'],
  },
  'openapi/arrays30.yaml': {
    sent: [
      ['/pet/findByStatus?status=available'],
      ['/pet/findByTags?tags=a,b'],
      ['/items?filter%5Bcolour%5D=red'],
      ['/batch/3,4,5'],
    ],
  },
  'openapi/fastify30-nulltype.json': { sent: [['/items/id%20${integer 1 1000}']] },
  'openapi/springdoc-oneof.yaml': {
    sent: [['/health'], ['/pets'], ['/owners']],
    leftOut: ['a part of POST /owners: its schema Pet holds itself, and ends there'],
  },
};

describe.skipIf(!existsSync(CASES))('of ../shared/cases', () => {
  it.each(Object.entries(outcomes))(
    '%s becomes a scenario that can be loaded',
    async (file, { sent, leftOut = [] }) => {
      const { requests, mix } = await imported(join(CASES, file));
      expect(
        requests.map(({ path, expect: statuses }) => (statuses === undefined ? [path] : [path, statuses])),
      ).toEqual(sent);
      expect(mix.leftOut.map(({ what, why }) => `${what}: ${why}`)).toEqual(leftOut);
    },
  );
});
