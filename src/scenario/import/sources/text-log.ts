import { withoutUndefined } from '../../../base/schema-values.ts';
import { clientOf, type LogLine, REQUEST_LINE, statusOf, timeMs, withoutEscapes } from './log-line.ts';

/** A text in quotes, in which a quote is escaped. */
const QUOTED = '"(?<request>(?:[^"\\\\]|\\\\.)*)"';

/** A virtual host with its port, and not a client with one: client, identity and user follow. */
const VIRTUAL_HOST = '(?<virtual>[^\\s:[\\]]+|\\[[^\\s\\]]*\\]):\\d+ (?=\\S+ \\S+ [^\\s[]\\S* )';

/** Lines of text, by who writes them; the first that fits is taken. */
const formats: readonly RegExp[] = [
  // Common and combined format, with or without a virtual host before it; the default of Envoy and Istio begins with the time.
  new RegExp(
    `^(?:(?:${VIRTUAL_HOST})?(?<client>\\S+) \\S+ .*?)?\\[(?<time>[^\\]]{1,60})\\] ${QUOTED} (?<status>\\d{1,3})(?: |$)(?:.*"[0-9a-f-]{36}" "(?<host>[^"]+)")?`,
  ),
  // HAProxy: option httplog.
  new RegExp(
    `^(?<client>\\S+:\\d+) \\[(?<time>[^\\]]{1,60})\\] \\S+ \\S+ [\\d/+-]+ (?<status>-?\\d{1,3}) .*?${QUOTED}`,
  ),
  // Load balancers of AWS.
  new RegExp(
    `^(?:https?|h2|wss?|grpcs) (?<time>\\S+Z) \\S+ (?<client>\\S+) \\S+ \\S+ \\S+ \\S+ (?<status>\\d{3}|-) \\S+ \\S+ \\S+ ${QUOTED}`,
  ),
  // morgan: short, tiny, dev.
  /^(?:(?<client>\S+) \S+ )?(?<request>[A-Z]+ \S+(?: HTTP\/[\d.]+)?) (?<status>\d{3}|-) .*\bms(?: - \S+)?$/,
];

/** A line of an access log that is text: common or combined, Envoy, HAProxy, AWS, morgan. */
export function readTextLine(line: string): LogLine {
  for (const format of formats) {
    const found = format.exec(line)?.groups;
    if (found === undefined) continue;
    const [, method = '', url = ''] = REQUEST_LINE.exec(found.request ?? '') ?? [];
    // What scanners send is often no HTTP, and the server logs what it got.
    if (method === '') return { kind: 'other' };
    const { client, time, status, virtual, host = virtual } = found;
    return {
      kind: 'request',
      request: withoutUndefined({
        method,
        url: withoutEscapes(url),
        status: statusOf(status),
        client: clientOf(client),
        atMs: timeMs(time),
        host: host === '-' ? undefined : host,
      }),
    };
  }
  return { kind: 'unreadable' };
}
