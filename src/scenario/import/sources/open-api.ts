import { Validator } from '@seriousme/openapi-schema-validator';
import { PgsweepError } from '../../../base/errors.ts';
import { shortened } from '../../../base/visible.ts';
import { parseYaml } from '../../load-scenario.ts';
import { offsetOf, type Path, placed, type Source } from '../../problems.ts';
import { encodedTemplate, type Found, type FoundBody, type FoundRequest, type LeftOut } from '../found.ts';
import { variableFor } from '../secrets.ts';
import { escapedValue, type Fields, fieldsOf, followed, listOf, sampleOf, textOf } from './open-api-sample.ts';

const OPERATIONS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'] as const;
const MOST_MISTAKES = 5;

/** A request for every operation of an OpenAPI description (3.0, 3.1) or of Swagger 2.0, in YAML or JSON. */
export async function readOpenApi(text: string, file: string): Promise<Found> {
  const source = parseYaml(text, file);
  const root = fieldsOf(source.document.toJS({ maxAliasCount: -1 }));
  await requireValid(source, root);
  const requests: FoundRequest[] = [];
  const leftOut: LeftOut[] = [];
  const base = basePathOf(root);
  for (const [path, item] of Object.entries(fieldsOf(root.paths))) {
    const operations = followed(item, root);
    if (operations === null) {
      leftOut.push({ what: path, why: 'its $ref leads to another file' });
      continue;
    }
    for (const method of OPERATIONS) {
      if (operations[method] === undefined) continue;
      const operation = fieldsOf(operations[method]);
      const shared = [...listOf(operations.parameters), ...listOf(operation.parameters)];
      const one = requestOf({ root, base, path, method: method.toUpperCase(), operation, parameters: shared });
      if ('why' in one) leftOut.push(one);
      else requests.push(one);
    }
  }
  return { kind: 'described', requests, leftOut, pausesMs: [] };
}

/** Throws PgsweepError `usage` with a line for each of the first mistakes. */
async function requireValid(source: Source, root: Fields): Promise<void> {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(root) as Record<string, unknown>);
  // A text that is no schema's says that a $ref leads nowhere: what needs it is left out.
  if (valid || (validator.version !== undefined && typeof errors === 'string')) return;
  // The deepest says most: what holds it is wrong only because of it.
  const problems = (Array.isArray(errors) ? errors : [{ instancePath: '', message: String(errors) }])
    .map(({ instancePath = '', message = '' }) => ({ path: pathOf(instancePath), message }))
    .toSorted((a, b) => b.path.length - a.path.length)
    .slice(0, MOST_MISTAKES)
    .map(({ path, message }) => ({
      offset: offsetOf(source.document, { path, message }),
      message: `${path.length === 0 ? 'the description' : path.join('.')}: ${message}`,
    }));
  throw new PgsweepError('usage', placed(source, problems), {
    hint: 'The file is no OpenAPI description that is valid (2.0, 3.0 or 3.1).',
  });
}

/** The path that a JSON pointer names. */
function pathOf(pointer: string): Path {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** `/v1` of `https://api.example.com/v1`; the paths of all operations go below it. */
function basePathOf(root: Fields): string {
  const [server] = listOf(root.servers);
  const { url, variables } = fieldsOf(server);
  const filled = textOf(url ?? root.basePath ?? '').replace(/\{([^}]*)\}/g, (_, name: string) =>
    textOf(fieldsOf(fieldsOf(variables)[name]).default),
  );
  const path = URL.canParse(filled, 'http://host') ? new URL(filled, 'http://host').pathname : '';
  return path.replace(/\/+$/, '');
}

interface Operation {
  readonly root: Fields;
  readonly base: string;
  readonly path: string;
  readonly method: string;
  readonly operation: Fields;
  /** Those of the path, and then those of the operation. */
  readonly parameters: readonly unknown[];
}

function requestOf(of: Operation): FoundRequest | LeftOut {
  const { root, base, path, method, operation } = of;
  const what = `${method} ${path}`;
  if (operation.deprecated === true) return { what, why: 'it is deprecated' };
  const parameters = parametersOf(of);
  if (parameters === null) return { what, why: 'a $ref of its parameters leads to another file' };
  const body = bodyOfOperation(of, parameters);
  if (typeof body === 'string') return { what, why: body };
  const secured = securityOf(root, operation);
  const inPlace = (place: string): (readonly [string, string])[] => [
    ...parameters
      .filter((one) => one.in === place && (one.required || one.isShown))
      .map(({ name, value }) => [name, value] as const),
    ...secured.filter((one) => one.in === place).map(({ name, value }) => [name, value] as const),
  ];
  const values = new Map(parameters.filter((one) => one.in === 'path').map(({ name, value }) => [name, value]));
  const filled = path.replace(/\{([^}]*)\}/g, (_, name: string) => values.get(name) ?? '${integer 1 1000}');
  const query = inPlace('query').map(([name, value]) => `${encodeURIComponent(name)}=${value}`);
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
  /** As it stands in a path, query or header. */
  readonly value: string;
  readonly schema: Fields;
}

/** Null where one of them stands in another file. */
function parametersOf({ root, parameters, method }: Operation): Parameter[] | null {
  const found = new Map<string, Parameter>();
  for (const written of parameters) {
    const parameter = followed(written, root);
    if (parameter === null) return null;
    const [name, place] = [textOf(parameter.name), textOf(parameter.in)];
    // Swagger 2.0 has the schema's words in the parameter itself.
    const schema = followed(parameter.schema ?? parameter, root) ?? {};
    const [example] = Object.values(fieldsOf(parameter.examples));
    const shown =
      parameter.example ?? fieldsOf(example).value ?? schema.example ?? schema.default ?? listOf(schema.enum)[0];
    const value =
      shown === undefined
        ? sampleOf(schema, { root, key: name, creates: method === 'POST' && place !== 'path' })
        : escapedValue(shown);
    found.set(`${place} ${name}`, {
      name,
      in: place,
      required: parameter.required === true || place === 'path',
      isShown: shown !== undefined,
      value: inAddress(value, place),
      schema,
    });
  }
  return [...found.values()];
}

function inAddress(value: unknown, place: string): string {
  const template = typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (place === 'formData') return template;
  return place === 'header' ? template.replace(/[\r\n]+/g, ' ') : encodedTemplate(template);
}

/** A body, undefined where there is none, or why it cannot be sent. */
function bodyOfOperation(
  { root, operation, method }: Operation,
  parameters: readonly Parameter[],
): FoundBody | string | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  const creates = method === 'POST';
  const ofSwagger = parameters.find((one) => one.in === 'body');
  if (ofSwagger !== undefined) return { kind: 'json', value: sampleOf(ofSwagger.schema, { root, key: '', creates }) };
  const fields = parameters.filter((one) => one.in === 'formData');
  if (fields.some(({ schema }) => schema.type === 'file')) return 'its body is a file, which a scenario cannot send';
  if (fields.length > 0) return { kind: 'form', fields: fields.map(({ name, value }) => [name, value] as const) };
  if (operation.requestBody === undefined) return undefined;
  const content = followed(operation.requestBody, root)?.content;
  if (content === undefined) return 'the $ref of its body leads to another file';
  const types = Object.entries(fieldsOf(content));
  const json = types.find(([type]) => /\bjson\b/i.test(type) || type === '*/*');
  const form = types.find(([type]) => /^application\/x-www-form-urlencoded/i.test(type));
  const [, media] = json ?? form ?? [];
  if (media === undefined)
    return `its body is ${shortened(types[0]?.[0] ?? 'nothing', 60)}, which is not made from a description`;
  const { schema, example, examples } = fieldsOf(media);
  const [named] = Object.values(fieldsOf(examples));
  const shown = example ?? fieldsOf(followed(named, root) ?? {}).value;
  const described = followed(schema, root);
  if (shown === undefined && described === null) return 'the $ref of its body leads to another file';
  const value = shown === undefined ? sampleOf(described ?? {}, { root, key: '', creates }) : escapedValue(shown);
  if (json !== undefined) return { kind: 'json', value };
  return { kind: 'form', fields: Object.entries(fieldsOf(value)).map(([name, one]) => [name, String(one)] as const) };
}

type Credential = Pick<Parameter, 'in' | 'name' | 'value'>;

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
