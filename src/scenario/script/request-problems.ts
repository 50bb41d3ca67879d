import { parseTemplate, TemplateError, type TemplatePart } from '../../base/template.ts';
import type { RequestValue } from '../../journal/request-value.ts';
import type { Path, Problem } from '../problem.ts';

export const NO_LOGIN = '${token} is what target.login fetches, and target has no login';

/** A request as written, with its defaults. */
interface WrittenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: RequestValue;
  readonly body: RequestValue | undefined;
}

/** Problems with the placeholders of a text, in words. */
type MessagesOf = (parts: readonly TemplatePart[]) => readonly string[];

/** Problems with the texts of the request at a path, and with its body. */
export function requestProblems(
  { method, path: address, headers, body }: WrittenRequest,
  path: Path,
  messagesOf: MessagesOf,
): Problem[] {
  const message = `a ${method} request has no body: expected method POST, PUT, PATCH or DELETE`;
  return [
    ...textProblems(address, [...path, 'path'], messagesOf),
    ...textProblems(headers, [...path, 'headers'], messagesOf),
    ...(body === undefined ? [] : textProblems(body, [...path, 'body'], messagesOf)),
    ...(body !== undefined && (method === 'GET' || method === 'HEAD') ? [{ path, key: 'body', message }] : []),
  ];
}

function textProblems(value: RequestValue, path: Path, messagesOf: MessagesOf): Problem[] {
  if (typeof value === 'string') return messagesIn(value, messagesOf).map((message) => ({ path, message }));
  if (Array.isArray(value))
    return value.flatMap((item: RequestValue, index) => textProblems(item, [...path, index], messagesOf));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [
    ...keyProblems(key, path),
    ...textProblems(item, [...path, key], messagesOf),
  ]);
}

/** Placeholders are filled in where values stand. */
function keyProblems(key: string, path: Path): Problem[] {
  const [placeholder] = /(?<!\$)\$\{[^}]*\}?/.exec(key) ?? [];
  if (placeholder === undefined) return [];
  return [
    {
      path,
      key,
      message: `${placeholder} stands in a key: expected placeholders in values alone, or $\${ for what is sent as it is`,
    },
  ];
}

function messagesIn(text: string, messagesOf: MessagesOf): readonly string[] {
  try {
    return messagesOf(parseTemplate(text));
  } catch (error) {
    if (error instanceof TemplateError) return [error.message];
    throw error;
  }
}
