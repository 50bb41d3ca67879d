import { type Document, isCollection, isPair, type Node, type ScalarTag, Document as YamlDocument } from 'yaml';
import { exactJson, NumberText } from '../base/exact-json.ts';

/** Writes a number with all of its digits. */
const numberText: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  identify: (value) => value instanceof NumberText,
  // What is read has plain numbers.
  test: /(?!)/,
  resolve: (text) => text,
  stringify: ({ value }) => String(value),
};

/** Longest value that stands on one line, in characters. */
const LINE_CHARACTERS = 100;

/** The YAML of a scenario, as somebody would write it by hand: what is short stands on one line. */
export function scenarioText(scenario: object): string {
  return textOf(scenarioDocument(scenario));
}

/** YAML document of a scenario, to which comments can be added. */
export function scenarioDocument(scenario: object): Document {
  const document = new YamlDocument(scenario, {
    aliasDuplicateObjects: false,
    customTags: (tags) => [numberText, ...tags],
  });
  if (isCollection(document.contents)) for (const item of document.contents.items) foldShort(item, document);
  return document;
}

/** The text of such a document. */
export function textOf(document: Document): string {
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function foldShort(node: unknown, document: Document): void {
  if (isPair(node)) foldShort(node.value, document);
  if (!isCollection(node)) return;
  if (lengthOf(node, document) <= LINE_CHARACTERS) node.flow = true;
  else for (const item of node.items) foldShort(item, document);
}

function lengthOf(node: Node, document: Document): number {
  return exactJson(node.toJS(document)).length;
}
