import { parse } from 'acorn';
import {
  addPause,
  bodyOf,
  escaped,
  type Found,
  type FoundRequest,
  type LeftOut,
  METHODS,
  placeOf,
  unreadable,
} from '../found.ts';
import { isSecret, variableFor } from '../secrets.ts';
import { type Constants, constantsOf, evaluated, type Json, jsonOf, urlOf } from './k6/evaluate.ts';
import { calleeOf, childrenOf, importedFrom, isNode, type Node, nameOf, visit } from './k6/nodes.ts';

/** The methods of k6's http, with what they send and whether a body comes second. */
const calls: Readonly<Record<string, { readonly method: string; readonly hasBody: boolean }>> = {
  get: { method: 'GET', hasBody: false },
  head: { method: 'HEAD', hasBody: false },
  post: { method: 'POST', hasBody: true },
  put: { method: 'PUT', hasBody: true },
  patch: { method: 'PATCH', hasBody: true },
  del: { method: 'DELETE', hasBody: true },
  options: { method: 'OPTIONS', hasBody: true },
};

/** The requests of a k6 script that stand in it as they are sent: nothing of it is run. */
export function readK6(text: string, file: string): Found {
  const program = parsed(text, file);
  const http = importedFrom(program, 'k6/http').get('default');
  const sleep = importedFrom(program, 'k6').get('sleep');
  if (http === undefined) throw unreadable(file, 1, 1, "this is no k6 script: expected import http from 'k6/http'");
  const constants = constantsOf(program);
  const requests: FoundRequest[] = [];
  const leftOut: LeftOut[] = [];
  const pausesMs: number[] = [];
  // A pause before the first request is one after the last: a script begins anew.
  let leadingMs = 0;
  const pause = (ms: number): void => {
    pausesMs.push(ms);
    if (requests.length === 0) leadingMs += ms;
    else addPause(requests, ms);
  };
  visit(program, (node, functions) => {
    if (node.type !== 'CallExpression') return;
    const { object, name } = calleeOf(node);
    const place = `line ${node.loc?.start.line ?? 1}`;
    const once = functions.find((each) => each === 'setup' || each === 'teardown');
    if (object === null && name === sleep && name !== undefined && once === undefined) {
      const seconds = evaluated(childrenOf(node.arguments)[0], constants);
      if (typeof seconds === 'number') pause(seconds * 1000);
      else leftOut.push({ what: 'sleep(...)', why: 'how long is computed', place });
    }
    if (
      object !== http ||
      name === undefined ||
      !(Object.hasOwn(calls, name) || /^(batch|request|asyncRequest)$/.test(name))
    )
      return;
    const what = `http.${name}(...)`;
    if (once !== undefined) {
      leftOut.push({ what, why: `it is in ${once}, which runs once`, place });
      return;
    }
    for (const call of callsOf(name, childrenOf(node.arguments))) {
      const one = typeof call === 'string' ? call : requestOf(call, constants);
      if (typeof one === 'string') leftOut.push({ what, why: one, place });
      else requests.push(one);
    }
  });
  addPause(requests, leadingMs);
  return { kind: 'described', requests, leftOut, pausesMs };
}

/** A call of k6's http, by its name there. */
interface Call {
  readonly name: string;
  readonly given: readonly Node[];
}

/** The calls that one stands for, or why they cannot be told: a batch is one of each of its requests. */
function callsOf(name: string, given: readonly Node[]): (Call | string)[] {
  if (name !== 'batch') return [{ name, given }];
  const [all] = given;
  if (all?.type !== 'ArrayExpression') return ['its requests are computed'];
  return childrenOf(all.elements).map((one): Call | string => {
    // As http.request() has them: method, address, body, params.
    if (one.type === 'ArrayExpression') return { name: 'request', given: childrenOf(one.elements) };
    if (one.type !== 'ObjectExpression') return { name: 'get', given: [one] };
    const fields = new Map(childrenOf(one.properties).map(({ key, value }) => [nameOf(key), value]));
    const [method, url, body, params] = ['method', 'url', 'body', 'params'].map((field) => fields.get(field));
    if (!isNode(method) || !isNode(url)) return 'its method or its address is computed';
    const none: Node = { type: 'Literal', value: null };
    return { name: 'request', given: [method, url, isNode(body) ? body : none, isNode(params) ? params : none] };
  });
}

function parsed(text: string, file: string): Node {
  try {
    return parse(text, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
      allowHashBang: true,
    }) as unknown as Node;
  } catch (error) {
    const { loc, message } = error as { readonly loc?: { line: number; column: number }; readonly message: string };
    if (loc === undefined) throw error;
    const hint = 'A k6 script in TypeScript has to be compiled first.';
    throw unreadable(file, loc.line, loc.column + 1, message.replace(/ \(\d+:\d+\)$/, ''), hint);
  }
}

/** The request of a call, or why it cannot be told from the text. */
function requestOf({ name, given: all }: Call, constants: Constants): FoundRequest | string {
  const isAny = !Object.hasOwn(calls, name);
  const given = isAny ? all.slice(1) : all;
  const method = isAny ? evaluated(all[0], constants) : calls[name]?.method;
  if (typeof method !== 'string' || !METHODS.includes(method.toUpperCase())) return 'its method is computed';
  const hasBody = isAny || calls[name]?.hasBody === true;
  const url = urlOf(given[0], constants);
  const place = url === null ? null : templatePlace(url);
  if (place === null) return 'its address is computed';
  const headers = headersOf(given[hasBody ? 2 : 1], constants);
  if (headers === null) return 'its headers are computed';
  const sent = hasBody ? given[1] : undefined;
  const body = sent === undefined ? null : evaluated(sent, constants);
  if (body === undefined) return 'its body is computed';
  return {
    method: method.toUpperCase(),
    ...place,
    headers,
    ...bodyOfValue(body, headers['content-type'] ?? ''),
    isTemplate: true,
  };
}

/** Path and host of an address that may hold placeholders, which no parser of addresses may touch. */
function templatePlace(url: string): Pick<FoundRequest, 'path' | 'host'> | null {
  const kept: string[] = [];
  const plain = url.replace(/\$\{[^}]*\}/g, (placeholder) => `pgsweep-placeholder-${kept.push(placeholder) - 1}-`);
  const place = placeOf(plain);
  if (place === null) return null;
  const back = (text: string): string =>
    text.replace(/pgsweep-placeholder-(\d+)-/g, (_, at: string) => kept[Number(at)] ?? '');
  return { ...place, path: back(place.path) };
}

/** Null where they cannot be told at all; one that is computed is left out, or is a variable where it is a secret. */
function headersOf(node: Node | undefined, constants: Constants): Record<string, string> | null {
  if (node === undefined) return {};
  const params = evaluated(node, constants, { keepsUnknown: true });
  if (params === null) return {};
  if (typeof params !== 'object' || Array.isArray(params)) return null;
  const { headers = {} } = params as { readonly headers?: Json };
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return null;
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value !== undefined) return [[name.toLowerCase(), String(value)]];
      return isSecret(name) ? [[name.toLowerCase(), `\${env ${variableFor(name)}}`]] : [];
    }),
  );
}

function bodyOfValue(value: Json, contentType: string): Pick<FoundRequest, 'body'> {
  if (value === null || value === undefined) return {};
  const json = jsonOf(value);
  if (json !== null) return { body: { kind: 'json', value: json.value } };
  if (typeof value === 'object' && !Array.isArray(value))
    return { body: { kind: 'form', fields: Object.entries(value).map(([name, one]) => [name, String(one)]) } };
  const text = String(value);
  // A text of JSON without placeholders reads better as what it says.
  const body = text.includes('${') ? null : bodyOf(text, contentType);
  return { body: body ?? { kind: 'text', text: text.includes('${') ? text : escaped(text) } };
}
