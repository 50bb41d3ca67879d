import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { scenarioJsonSchema } from '../../src/scenario/schema.ts';
import { scenarioSources } from '../faults/scenario-sources.ts';
import { mistakes } from './scenario-text.ts';

const schema = JSON.parse(readFileSync('scenarios/scenario.schema.json', 'utf8'));

it('scenarios/scenario.schema.json is that of the schema (else: npm run schema)', () => {
  expect(schema).toEqual(scenarioJsonSchema());
});

describe('the schema for editors', () => {
  // It throws at a format that JSON Schema does not have.
  const validate = new Ajv({
    allErrors: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    formats: { uri: true },
  }).compile(schema);
  const errorsOf = (text: string): string[] => {
    validate(parse(text, { merge: true }));
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };

  it.each(scenarioSources.map((text) => [/^title: (.*)/m.exec(text)?.[1], text]))('allows %s', (_, text) => {
    expect(errorsOf(text ?? '')).toEqual([]);
  });

  const shipped = readdirSync('scenarios', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.yaml$/.test(file),
  );
  it.each(shipped.filter((file) => !file.includes('node_modules')))('allows scenarios/%s', (file) => {
    expect(errorsOf(readFileSync(join('scenarios', file), 'utf8'))).toEqual([]);
  });

  const keys = {
    target: '{ command: x }',
    variants: '{ A: {}, B: {} }',
    control: 'A',
    load: '{ connections: 1, requests: [{ path: / }] }',
  };
  const grid = { sweep: '{ p: { env: P, levels: [1, 2] } }', control: '{ p: 1 }' };
  const space = '{ p: { env: P, range: [1, 9] } }';
  /** A scenario with other values of keys; without those that are null. */
  const textWith = (others: Readonly<Record<string, string | null>>): string =>
    Object.entries({ ...keys, ...others })
      .map(([key, value]) => (value === null ? '' : `${key}: ${value}\n`))
      .join('');
  const withLoad = (more: string) => ({ load: `{ connections: 1, requests: [{ path: / }], ${more} }` });
  const withDistance = (distance: string) => ({ variants: `{ A: {}, B: { distance: { ${distance} } } }` });
  const withLimits = (limits: string) => ({
    load: `{ capacity: { connections: 10..20, until: { ${limits} } }, requests: [{ path: / }] }`,
  });

  it.each([
    {},
    { ...grid, variants: null },
    { tune: space, control: '{ p: 1 }', variants: null },
    { against: 'main', variants: null, control: null },
    { against: '[main]' },
    { against: 'main', ...grid, variants: null },
    { target: '{}', load: '{ job: { command: "true" } }' },
    { target: null, load: '{ job: { command: "true" } }' },
    ...['5s', '1.5h', '1h 5min 30s', '" 5 s "', 'auto'].map((slice) => withLoad(`slice: ${slice}`)),
    ...['off', 'auto', '50ms'].map((turn) => withLoad(`turn: ${turn}`)),
    ...['5', '0', '5%', '"5 %"', '0.5'].map((margin) => ({ margin })),
    ...['rtt: 0', 'rtt: "0"', 'rtt: 500us', 'rtt: 0.5 ms, bandwidth: 1.5Gbit'].map(withDistance),
    ...['p95_ms: 200', 'p95_ms: 1.5s', 'p95_ms: "2e2"', 'failed: "1 %"', 'p95_ms: .5'].map(withLimits),
    ...['17', '17.2', '"17.2"'].map((version) => ({ stack: `{ postgres: { version: ${version} } }` })),
  ])('allows what is right: %j', (others) => {
    const text = textWith(others);
    expect([mistakes(text), errorsOf(text)]).toEqual([[], []]);
  });

  it('allows values from outside where the loader fills them in', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-schema-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'path.txt'), '/items');
    writeFileSync(join(folder, 'url.txt'), 'http://127.0.0.1:3000');
    const path = '{ path: "${file path.txt}" }';
    const withMore = (more: string): string => path.replace(' }', `, ${more} }`);
    const url = '{ url: "${file url.txt}" }';
    for (const others of [
      { target: `{ command: x, login: ${withMore('token: t')} }` },
      { load: `{ connections: 1, requests: [${path}] }` },
      { load: `{ users: 1, script: [${path}] }` },
      {
        sweep: `{ p: { levels: [1, 2], live: { request: ${withMore('body: "${level}"')} } } }`,
        control: '{ p: 1 }',
        variants: null,
      },
      { target: url },
      { target: '{ url: "http://127.0.0.1:1" }', variants: `{ A: {}, B: ${url} }` },
    ]) {
      const text = textWith(others);
      expect([mistakes(text, join(folder, 'mine.yaml')), errorsOf(text)], text).toEqual([[], []]);
    }
  });

  it.each([
    ...['5', '0', 'soon', '5 parsecs', 'true'].map((slice) => withLoad(`slice: ${slice}`)),
    withLoad('turn: on'),
    { target: '{ command: x, readyTimeout: soon }' },
    ...['lots', '101', '-1', 'true'].map((margin) => ({ margin })),
    ...['rtt: 5', 'rtt: soon', 'bandwidth: 100'].map(withDistance),
    ...['p95_ms: soon', 'p95_ms: 0', ''].map(withLimits),
    { stack: '{ postgres: { version: newest } }' },
    { dataset: '{}' },
    { load: '{}' },
    { variants: '{}' },
    { target: '{ services: {} }' },
    { sweep: '{}', variants: null },
    { tune: '{}', variants: null },
    { variants: null },
    { control: null },
    { ...grid },
    { tune: space, ...grid, variants: null },
    ...['connections', 'rate'].map((key) => ({ load: `{ ${key}: [1, 1], requests: [{ path: / }] }` })),
    { load: '{ connections: 1, requests: [{ path: items }] }' },
    { target: '{ command: x, ready: "${file path.txt}" }' },
    { target: '{ url: "ftp://127.0.0.1" }' },
  ])('names what is wrong: %j', (others) => {
    const text = textWith(others);
    expect(mistakes(text)).not.toEqual([]);
    expect(errorsOf(text)).not.toEqual([]);
  });
});
