import { type Document, isAlias, isNode, isPair, isScalar, type Node, visit } from 'yaml';
import { exactNumber, withNumberPlaceholders } from '../base/exact-json.ts';

/** Keys whose values are sent, or compared with answers, as JSON. */
const JSON_KEYS: readonly unknown[] = ['body', 'variables', 'json'];

/**
 * Has `${number 9007199254740993}` in place of each number in a request, a login or what is expected of an answer that YAML
 * would read as another, or write in another way.
 */
export function keepNumbersAsWritten(document: Document): void {
  const done = new Set<Node>();
  const keep = (node: unknown): void => {
    if (!isNode(node) || done.has(node)) return;
    done.add(node);
    visit(node, {
      Alias: (_, alias) => keep(alias.resolve(document)),
      Scalar(key, scalar) {
        if (typeof scalar.value !== 'number' || scalar.source === undefined) return;
        const number = exactNumber(scalar.source);
        if (number !== null) scalar.value = key === 'key' ? scalar.source : withNumberPlaceholders(number);
      },
    });
  };
  visit(document, {
    Pair(_, { key, value }, path) {
      if (!isScalar(key) || !JSON_KEYS.includes(key.value)) return;
      const [top, ...keys] = path.flatMap((one) => (isPair(one) && isScalar(one.key) ? [one.key.value] : []));
      const isSent = top === 'load' || keys.some((one) => one === 'login' || one === 'request');
      if (isSent && !keys.includes('env')) keep(isAlias(value) ? value.resolve(document) : value);
    },
  });
}
