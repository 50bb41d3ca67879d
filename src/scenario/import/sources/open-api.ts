import { PgsweepError } from '../../../base/errors.ts';
import { isObject } from '../../../base/json-path.ts';
import { shortened } from '../../../base/visible.ts';
import { parseYaml } from '../../load-scenario.ts';
import { keepExampleNumbers } from '../../numbers-as-written.ts';
import { offsetOf, type Path, placed, type Source } from '../../problems.ts';
import { type Found, type FoundBody, type FoundRequest, isPlainJson, jsonBody, type LeftOut } from '../found.ts';
import { variableFor } from '../secrets.ts';
import {
  BadSchema,
  escapedValue,
  type Fields,
  fieldsOf,
  followed,
  listOf,
  MOST_SCHEMAS,
  sampleOf,
  textOf,
} from './open-api-sample.ts';
import { asIs, inAddress, pairsOf, type Style, styleOf, textOfStyle } from './open-api-style.ts';

const OPERATIONS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;

/**
 * A request for every operation of an OpenAPI description (3.0, 3.1) or of Swagger 2.0, in YAML or JSON. Only what a request
 * is made of is looked at: an answer's schema may be wrong, and a request's costs its own operation.
 */
export function readOpenApi(text: string, file: string): Found {
  const source = parseYaml(text, file);
  keepExampleNumbers(source.document);
  const root = fieldsOf(source.document.toJS({ maxAliasCount: -1 }));
  requirePaths(source, root);
  const requests: FoundRequest[] = [];
  const leftOut: LeftOut[] = [];
  let { host: home } = serverOf(root, {}, {});
  for (const [path, item] of Object.entries(fieldsOf(root.paths))) {
    const operations = followed(item, root);
    if (operations === null) {
      leftOut.push({ what: path, why: 'its $ref leads to another file' });
      continue;
    }
    for (const method of OPERATIONS) {
      if (operations[method] === undefined) continue;
      const operation = fieldsOf(operations[method]);
      const { host, base } = serverOf(root, operations, operation);
      // A description may have servers with its operations alone.
      home ??= host ?? '';
      const shared = [...listOf(operations.parameters), ...listOf(operation.parameters)];
      const cut = new Set<string>();
      const budget = { left: MOST_SCHEMAS };
      const isElsewhere = host !== undefined && host !== home;
      const one = isElsewhere
        ? { what: `${method.toUpperCase()} ${path}`, why: `its server is another: ${host}` }
        : requestOf({ root, base, path, method: method.toUpperCase(), operation, parameters: shared, cut, budget });
      if ('why' in one) leftOut.push({ ...one, place: placeOf(source, ['paths', path, method]) });
      else requests.push(one);
      for (const name of 'why' in one ? [] : cut)
        leftOut.push({
          what: `a part of ${method.toUpperCase()} ${path}`,
          why: `its schema ${name} holds itself, and ends there`,
        });
    }
  }
  return { kind: 'described', requests, leftOut, pausesMs: [] };
}

function placeOf({ document, lines }: Source, path: Path): string {
  return `line ${lines.linePos(offsetOf(document, { path, message: '' })).line}`;
}

/** Throws PgsweepError `usage` with the place where this is no description. */
function requirePaths(source: Source, root: Fields): void {
  const isVersion = /^3\.\d/.test(textOf(root.openapi)) || textOf(root.swagger).startsWith('2');
  const path = isVersion ? ['paths'] : [root.swagger === undefined ? 'openapi' : 'swagger'];
  if (isVersion && isObject(root.paths)) return;
  const message = isVersion ? 'paths: expected a map of paths' : 'expected openapi: 3.0.x, 3.1.x or swagger: "2.0"';
  throw new PgsweepError('usage', placed(source, [{ offset: offsetOf(source.document, { path, message }), message }]), {
    hint: 'The file is no OpenAPI description that can be read (2.0, 3.0 or 3.1).',
  });
}

interface Server {
  /** Undefined where the address has none: it is where the description is. */
  readonly host: string | undefined;
  /** `/v1` of `https://api.example.com/v1`; the paths of its operations go below it. */
  readonly base: string;
}

/** The first of the servers of an operation; where it has none of its path, or of the description. */
function serverOf(root: Fields, path: Fields, operation: Fields): Server {
  const [server] = [operation, path, root].map(({ servers }) => listOf(servers)).find(({ length }) => length > 0) ?? [];
  const { url, variables } = fieldsOf(server);
  const filled = textOf(url ?? root.basePath ?? '').replace(/\{([^}]*)\}/g, (_, name: string) =>
    textOf(fieldsOf(fieldsOf(variables)[name]).default),
  );
  if (!URL.canParse(filled, OWN)) return { host: undefined, base: '' };
  const { origin, host, pathname } = new URL(filled, OWN);
  return { host: origin === OWN ? undefined : host, base: pathname.replace(/\/+$/, '') };
}

/** Stands for where the description is. */
const OWN = 'http://host';

interface Operation {
  readonly root: Fields;
  readonly base: string;
  readonly path: string;
  readonly method: string;
  readonly operation: Fields;
  /** Those of the path, and then those of the operation. */
  readonly parameters: readonly unknown[];
  readonly budget: { left: number };
  /** Gets the names of schemas that hold themselves, where a value is cut. */
  readonly cut: Set<string>;
}

function requestOf(of: Operation): FoundRequest | LeftOut {
  const what = `${of.method} ${of.path}`;
  if (of.operation.deprecated === true) return { what, why: 'it is deprecated' };
  try {
    return madeRequest(of);
  } catch (cause) {
    if (cause instanceof BadSchema) return { what, why: cause.message };
    throw cause;
  }
}

function madeRequest(of: Operation): FoundRequest | LeftOut {
  const { root, base, path, method, operation } = of;
  const what = `${method} ${path}`;
  const parameters = parametersOf(of);
  if (parameters === null) return { what, why: 'a $ref of its parameters leads to another file' };
  const body = bodyOfOperation(of, parameters);
  if (typeof body === 'string') return { what, why: body };
  const secured = securityOf(root, operation);
  const inPlace = (place: string): (readonly [string, string])[] => [
    ...parameters
      .filter((one) => one.in === place && (one.required || one.isShown))
      .flatMap((one): (readonly [string, string])[] => {
        if (place === 'header') return [[one.name, textOfStyle(one.value, one.style, asIs).replace(/[\r\n]+/g, ' ')]];
        return pairsOf(one.value, one.style, inAddress);
      }),
    ...secured.filter((one) => one.in === place).map(({ name, value }) => [name, value] as const),
  ];
  const values = new Map(
    parameters
      .filter((one) => one.in === 'path')
      .map(({ name, value, style }) => [name, textOfStyle(value, style, inAddress)]),
  );
  const filled = path.replace(/\{([^}]*)\}/g, (_, name: string) => values.get(name) ?? '${integer 1 1000}');
  const query = inPlace('query').map(([name, value]) => `${name}=${value}`);
  const cookies = inPlace('cookie').map(([name, value]) => `${name}=${value}`);
  const headers = inPlace('header').filter(([name]) => !/^(accept|content-type)$/i.test(name));
  return {
    method,
    path: `${base}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`,
    name: textOf(operation.operationId) || what,
    headers: Object.fromEntries([
      ...headers,
      ...(cookies.length === 0 ? [] : [['cookie', cookies.join('; ')] as const]),
    ]),
    ...(body !== undefined && { body }),
    isTemplate: true,
  };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  /** The description has a value for it. */
  readonly isShown: boolean;
  readonly value: unknown;
  readonly style: Style;
  readonly schema: Fields;
}

/** Null where one of them stands in another file. */
function parametersOf(of: Operation): Parameter[] | null {
  const { root, parameters, method } = of;
  const found = new Map<string, Parameter>();
  for (const written of parameters) {
    const parameter = followed(written, root);
    if (parameter === null) return null;
    const [name, place] = [textOf(parameter.name), textOf(parameter.in)];
    if (name === '' || place === '') throw new BadSchema('it has a parameter without name or in');
    const [media] = Object.values(fieldsOf(parameter.content));
    const described = media === undefined ? parameter : fieldsOf(media);
    // Swagger 2.0 has the schema's words in the parameter itself.
    const schema = followed(described.schema ?? described, root) ?? {};
    const [example] = Object.values(fieldsOf(described.examples));
    const shown =
      described.example ??
      fieldsOf(followed(example, root)).value ??
      schema.example ??
      schema.default ??
      listOf(schema.enum)[0];
    const value =
      shown === undefined
        ? sampleOf(schema, contextOf(of, name, method === 'POST' && place !== 'path'))
        : escapedValue(shown);
    found.set(`${place} ${name}`, {
      name,
      in: place,
      required: parameter.required === true || place === 'path',
      isShown: shown !== undefined,
      // What has a type of media is written in it.
      value: media === undefined ? value : JSON.stringify(value),
      style: styleOf(parameter, root.swagger !== undefined),
      schema,
    });
  }
  return [...found.values()];
}

function contextOf({ root, cut, budget }: Operation, key: string, creates: boolean) {
  return { root, key, creates, budget, onCut: (name: string) => void cut.add(name) };
}

/** A body, undefined where there is none, or why it cannot be sent. */
function bodyOfOperation(of: Operation, parameters: readonly Parameter[]): FoundBody | string | undefined {
  const { root, operation, method } = of;
  if (method === 'GET' || method === 'HEAD') return undefined;
  const context = contextOf(of, '', method === 'POST');
  const ofSwagger = parameters.find((one) => one.in === 'body');
  const consumed = listOf(operation.consumes ?? root.consumes).map(textOf);
  if (ofSwagger !== undefined) return jsonBody(ofSwagger.value, jsonTypeOf(consumed) ?? '');
  const fields = parameters.filter((one) => one.in === 'formData');
  if (fields.some(({ schema }) => schema.type === 'file')) return 'its body is a file, which a scenario cannot send';
  if (fields.length > 0)
    return { kind: 'form', fields: fields.flatMap(({ value, style }) => pairsOf(value, style, asIs)) };
  if (operation.requestBody === undefined) return undefined;
  const written = followed(operation.requestBody, root);
  if (written === null) return 'the $ref of its body leads to another file';
  const content = fieldsOf(written.content);
  const types = Object.keys(content);
  const json = jsonTypeOf(types);
  const type = json ?? types.find((one) => /^application\/x-www-form-urlencoded/i.test(one));
  if (type === undefined)
    return `its body is ${shortened(types[0] ?? 'nothing', 60)}, which is not made from a description`;
  const media = content[type];
  const { schema, example, examples, encoding } = fieldsOf(media);
  const [named] = Object.values(fieldsOf(examples));
  const shown = example ?? fieldsOf(followed(named, root) ?? {}).value;
  const described = followed(schema, root);
  if (shown === undefined && described === null) return 'the $ref of its body leads to another file';
  const value = shown === undefined ? sampleOf(described ?? {}, context) : escapedValue(shown);
  if (json !== undefined) return jsonBody(value, json);
  return {
    kind: 'form',
    fields: Object.entries(fieldsOf(value)).flatMap(([name, one]) => {
      const of = fieldsOf(fieldsOf(encoding)[name]);
      // A map without its own style is JSON.
      const isText = isObject(one) && of.style === undefined;
      return pairsOf(isText ? JSON.stringify(one) : one, styleOf({ ...of, name, in: 'query' }, false), asIs);
    }),
  };
}

/** The type of JSON to send; undefined where there is none. */
function jsonTypeOf(types: readonly string[]): string | undefined {
  return types.find(isPlainJson) ?? types.find((type) => /\bjson\b/i.test(type) || type === '*/*');
}

interface Credential extends Pick<Parameter, 'in' | 'name'> {
  readonly value: string;
}

/** Credentials of an operation: a variable each, for the user to set. */
function securityOf(root: Fields, operation: Fields): Credential[] {
  const [needed] = listOf(operation.security ?? root.security);
  const schemes = fieldsOf(fieldsOf(root.components).securitySchemes ?? root.securityDefinitions);
  return Object.keys(fieldsOf(needed)).flatMap((name): Credential[] => {
    const scheme = followed(schemes[name], root) ?? {};
    const variable = `\${env ${variableFor(name)}}`;
    if (scheme.type === 'apiKey') return [{ in: textOf(scheme.in), name: textOf(scheme.name), value: variable }];
    const kind = scheme.type === 'basic' || /^basic$/i.test(textOf(scheme.scheme)) ? 'Basic' : 'Bearer';
    return [{ in: 'header', name: 'authorization', value: `${kind} ${variable}` }];
  });
}
