import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exactJson, withNumbers } from '../../src/base/exact-json.ts';
import type { Random } from '../../src/base/random.ts';
import { checksOf } from '../../src/measure/load/requests/body-check.ts';
import { compileRequest } from '../../src/measure/load/requests/compile-request.ts';
import { compileCaptures } from '../../src/measure/load/script/captures.ts';
import { mixFrom } from '../../src/scenario/import/import.ts';
import { writtenMix } from '../../src/scenario/import/write.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';
import { type Context, createTally, type PartResult, range } from './part.ts';

/** Numbers of JSON, most of which no double holds, go through every way into a request: not a digit may change. */
export async function exactNumbers({ from, to, random, folder }: Context): Promise<PartResult> {
  const tally = createTally();
  for (const i of range(from, to)) {
    const numbers = Array.from({ length: random.integer(1, 5) }, () => numberText(random));
    const body = `{"list":[${numbers.join()}],"a":{"b":${numbers[0]}},"text":"${numbers[0]} \\"1.10\\""}`;
    const file = join(folder, 'numbers.har');
    const description = join(folder, 'numbers.openapi.json');
    writeFileSync(file, harOf(body));
    const ways: Readonly<Record<string, () => Promise<string> | string>> = {
      yaml: () =>
        sentBy(
          `title: n\ntarget: { command: x }\nsweep: { a: { env: A, levels: [1, 2] } }\ncontrol: { a: 1 }\nload: { connections: 1, requests: [{ method: POST, path: /, body: ${body} }] }\n`,
        ),
      login: () => loginOf(body),
      env: () => inEnvironment(numbers, body),
      openapi: async () => {
        writeFileSync(description, openApiOf(body));
        return sentBy(writtenMix(await mixFrom(description, {}), description));
      },
      har: async () => sentBy(writtenMix(await mixFrom(file, {}), file)),
      capture: () => capturedFrom(body, numbers[0] ?? ''),
    };
    for (const [way, sent] of Object.entries(ways)) {
      const found = await sent();
      tally.count(way);
      if (found !== body) tally.fault(`numbers ${i}: ${way} made\n${found}\nof\n${body}`);
    }
  }
  return tally.result();
}

function numberText(random: Random): string {
  const digits = (most: number): string =>
    Array.from({ length: random.integer(1, most) }, () => random.integer(0, 9)).join('');
  const whole = `${random.integer(1, 9)}${digits(30)}`;
  const sign = random.pick(['', '-']);
  const fraction = random.pick(['', '', `.${digits(25)}`]);
  return `${sign}${random.pick([whole, '0'])}${fraction}${random.pick(['', '', '', `e${random.integer(-400, 400)}`])}`;
}

function sentBy(yaml: string): string {
  const { workload } = JSON.parse(JSON.stringify(parseScenario(yaml, 'numbers.yaml').load));
  const spec = workload.kind === 'script' ? workload.parts[0].step : workload.requests[0];
  return compileRequest(spec, 0, { random: NO_RANDOM, unique: () => 1 })().body ?? '';
}

const rest =
  'sweep: { a: { env: A, levels: [1, 2] } }\ncontrol: { a: 1 }\nload: { connections: 1, requests: [{ path: / }] }\n';

function loginOf(body: string): string {
  const text = `target: { command: x, login: { path: /l, body: ${body}, token: t } }\n${rest}`;
  const { target } = JSON.parse(JSON.stringify(parseScenario(text, 'numbers.yaml')));
  return exactJson(withNumbers(target.login.body));
}

/** The body, if each number is in the environment as it stands there. */
function inEnvironment(numbers: readonly string[], body: string): string {
  const env = numbers.map((number, at) => `N${at}: ${number}`).join();
  const { target } = parseScenario(`target: { command: x, env: { ${env} } }\n${rest}`, 'numbers.yaml');
  const given = 'env' in target ? target.env : {};
  return numbers.every((number, at) => given?.[`N${at}`] === number) ? body : JSON.stringify(given);
}

function openApiOf(example: string): string {
  const content = { 'application/json': { schema: {}, example: 'EXAMPLE' } };
  const paths = { '/n': { post: { requestBody: { content }, responses: {} } } };
  return JSON.stringify({ openapi: '3.0.3', info: {}, paths }).replace('"EXAMPLE"', () => example);
}

/** The body, if its first number was captured and is then sent and expected as it stands there. */
function capturedFrom(body: string, number: string): string {
  const captured = new Map();
  const lacks = compileCaptures({ n: { kind: 'json', path: '$.a.b' } })({ status: 200, body, headers: [] }, captured);
  if (lacks !== null) return lacks;
  const spec = { name: 'n', method: 'POST', path: '/', headers: {}, body: { n: '${captured n}' } };
  const context = { random: NO_RANDOM, unique: () => 1, captured: (name: string) => captured.get(name) };
  const sent = compileRequest(spec, 0, context)().body;
  if (sent !== `{"n":${number}}`) return String(sent);
  const expectBody = { json: { '$.a.b': `\${number ${number}}` } };
  return checksOf([{ ...spec, expectBody }]).checks?.[0]?.(body) ?? body;
}

/** No request here draws anything. */
const NO_RANDOM = undefined as unknown as Random;

function harOf(text: string): string {
  const request = {
    method: 'POST',
    url: 'http://host/n',
    headers: [],
    postData: { mimeType: 'application/json', text },
  };
  const startedDateTime = '2026-01-31T10:00:00.000Z';
  return JSON.stringify({ log: { entries: [{ startedDateTime, time: 5, request, response: { status: 200 } }] } });
}
