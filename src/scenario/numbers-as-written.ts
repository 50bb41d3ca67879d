import { type Document, isAlias, isNode, isPair, isScalar, type Node, type Scalar, visit } from 'yaml';
import { exactNumber, isSameJson, type NumberText, withNumberPlaceholders } from '../base/exact-json.ts';

/** Keys whose values are sent, or compared with answers, as JSON. */
const JSON_KEYS: readonly unknown[] = ['body', 'variables', 'json'];

/** Makes something of a number that YAML would read as another, or write in another way. Null for 022 and others that JSON does not have. */
type Keep = (scalar: Scalar, number: NumberText | null) => void;

const asText: Keep = (scalar) => {
  scalar.value = scalar.source;
};
/** A level is a number where a double has its value, however it is written; 022 and 0x10 mean different numbers to different programs. */
const asTextIfAnother: Keep = (scalar, number) => {
  const isAnother = number === null ? /^[-+]?0[\dox]/.test(scalar.source ?? '') : !isSameJson(scalar.value, number);
  if (isAnother) scalar.value = scalar.source;
};
const ofJson =
  (keep: (scalar: Scalar, number: NumberText) => void): Keep =>
  (scalar, number) => {
    if (number !== null) keep(scalar, number);
  };
const asTextOfJson = ofJson(asText);
const asPlaceholder = ofJson((scalar, number) => {
  scalar.value = withNumberPlaceholders(number);
});
const asNumberText = ofJson((scalar, number) => {
  scalar.value = number;
});

/**
 * Keeps the digits of numbers in a scenario: with `${number 9007199254740993}` in a request, a login or what is expected of
 * an answer, and as texts in environments, settings and levels.
 */
export function keepNumbersAsWritten(document: Document): void {
  keepNumbers(document, ([key, ...path]) => {
    const top = path.at(-1) ?? key;
    if (key === 'env') return asText;
    const isLevel = key === 'levels' && (top === 'sweep' || top === 'tune');
    const isSetting = key === 'settings' && top !== 'load';
    if (isLevel || isSetting || (top === 'control' && path.length === 1)) return asTextIfAnother;
    // That it has a point says that values may have one.
    if (key === 'range' && top === 'tune') return asTextOfJson;
    if (key === 'expect' && path[0] === 'verify') return asPlaceholder;
    const isSent = top === 'load' || path.some((one) => one === 'login' || one === 'request');
    return JSON_KEYS.includes(key) && isSent && !path.includes('env') ? asPlaceholder : null;
  });
}

const SHOWN_KEYS: readonly unknown[] = ['example', 'examples', 'default', 'enum', 'const'];

/** Has a NumberText in place of such numbers in the examples of an OpenAPI description. */
export function keepExampleNumbers(document: Document): void {
  keepNumbers(document, ([key]) => (SHOWN_KEYS.includes(key) ? asNumberText : null));
}

/** `how`: by the keys above a value, the nearest first; null where numbers stay as they are. */
function keepNumbers(document: Document, how: (keys: readonly unknown[]) => Keep | null): void {
  const done = new Set<Node>();
  const keepIn = (node: unknown, keep: Keep): void => {
    if (!isNode(node) || done.has(node)) return;
    if (!isScalar(node)) done.add(node);
    visit(node, {
      Alias: (_, alias) => keepIn(alias.resolve(document), keep),
      Scalar(key, scalar) {
        if (typeof scalar.value !== 'number' || scalar.source === undefined || done.has(scalar)) return;
        done.add(scalar);
        const number = exactNumber(scalar.source);
        if (key === 'key' && number !== null) scalar.value = scalar.source;
        else if (key !== 'key' && typeof number !== 'number') keep(scalar, number);
      },
    });
  };
  visit(document, {
    Pair(_, { key, value }, path) {
      if (!isScalar(key)) return;
      const above = path.flatMap((one) => (isPair(one) && isScalar(one.key) ? [one.key.value] : []));
      const keep = how([key.value, ...above.reverse()]);
      if (keep !== null) keepIn(isAlias(value) ? value.resolve(document) : value, keep);
    },
  });
}
