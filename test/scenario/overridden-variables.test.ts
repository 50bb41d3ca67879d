import { describe, expect, it } from 'vitest';
import { mistakes } from './scenario-text.ts';

const load = 'load: { connections: 1, requests: [{ path: / }] }\n';
const named = (variants: string, target = 'command: a'): string =>
  `target: { ${target} }\nvariants: ${variants}\ncontrol: A\n${load}`;
const grid = (env: string, target = 'command: a'): string =>
  `target: { ${target} }\nsweep: { x: { env: ${env}, levels: [1, 2] } }\ncontrol: { x: 1 }\n${load}`;
const services = 'services: { api: { command: a, ready: / }, old: { command: b, portVariable: HTTP_PORT } }';

describe('a variable that pgsweep sets itself is refused', () => {
  it.each([
    [
      'the database',
      named('{ A: { env: { DATABASE_URL: x } } }'),
      '2:25: variants.A.env.DATABASE_URL: pgsweep sets DATABASE_URL itself: each arm has its own copy. Leave it out, or write database: none if the service has its own database',
    ],
    ['its parts', named('{ A: { env: { PGHOST: x, PGUSER: y } } }'), /^2:25: [^\n]*PGHOST[^\n]*\n2:36: [^\n]*PGUSER/],
    ['its own name', named('{ A: { env: { DB: x } } }', 'command: a, databaseUrlVariable: DB'), /sets DB itself/],
    [
      'the port',
      named('{ A: { env: { PORT: 4000 } } }'),
      '2:25: variants.A.env.PORT: pgsweep sets PORT itself: each arm gets a free port. Leave it out',
    ],
    ['its own name', named('{ A: {} }', 'command: a, portVariable: X, env: { X: 1 }'), /target\.env\.X: .* X itself/],
    ["pgsweep's own", named('{ A: { env: { PGSWEEP_ARM: x } } }'), /PGSWEEP_ARM itself: names that begin so are its/],
    ['for all', named('{ A: { database: none }, B: {} }', 'command: a, env: { PORT: 1 }'), /target\.env\.PORT/],
    ['of a factor', grid('DATABASE_URL'), /^2:20: sweep\.x\.env\.DATABASE_URL/],
    ['of a search', grid('PORT').replace('sweep', 'tune'), /^2:19: tune\.x\.env\.PORT/],
    [
      'of one of several',
      named('{ A: { services: { old: { env: { HTTP_PORT: 1 } } } } }', services),
      /HTTP_PORT itself/,
    ],
    ['an address', named('{ A: { env: { API_URL: x } } }', services), /API_URL itself: it is the address of a service/],
    [
      'of a job',
      "target: { env: { PGUSER: me } }\nvariants: { A: {}, B: {} }\ncontrol: A\nload: { job: { command: 'a b' } }\n",
      '1:18: target.env.PGUSER: pgsweep sets PGUSER itself: each arm has its own copy. Leave it out',
    ],
    [
      'of the search',
      `${named('{ A: { env: { OPENSEARCH_URL: x } } }')}stack: { opensearch: on }\n`,
      /OPENSEARCH_URL itself: it is of stack\.opensearch/,
    ],
  ])('%s', (_, text, message) => {
    const found = mistakes(text).join('\n');
    if (typeof message === 'string') expect(found).toBe(message);
    else expect(found).toMatch(message);
  });
});

it.each([
  [
    'of a service with its own database',
    named('{ A: {}, B: { database: none, env: { DATABASE_URL: x, PGHOST: y } } }'),
  ],
  ['of services that have their own', grid('DATABASE_URL', 'command: a, database: none')],
  ['for all, if one has its own', named('{ A: { database: none }, B: {} }', 'command: a, env: { DATABASE_URL: x }')],
  ['that pgsweep leaves alone', named('{ A: { env: { PGOPTIONS: -c jit=off, PGSSLMODE: disable } } }')],
  ['of a service that gets it by another', named('{ A: { env: { PORT: 1 } } }', 'command: a, portVariable: X')],
  ['that one of several services gets', named('{ A: { env: { PORT: 1, HTTP_PORT: 1 } } }', services)],
  ['of a search that is elsewhere', named('{ A: { env: { OPENSEARCH_URL: x } } }')],
])('a variable reaches the service: %s', (_, text) => {
  expect(mistakes(text)).toEqual([]);
});
