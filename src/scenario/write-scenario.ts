import { type Document, isCollection, isPair, type Node, Document as YamlDocument } from 'yaml';

/** Longest value that stands on one line, in characters. */
const LINE_CHARACTERS = 100;

/** The YAML of a scenario, as somebody would write it by hand: what is short stands on one line. */
export function scenarioText(scenario: object): string {
  return textOf(scenarioDocument(scenario));
}

/** YAML document of a scenario, to which comments can be added. */
export function scenarioDocument(scenario: object): Document {
  const document = new YamlDocument(scenario, { aliasDuplicateObjects: false });
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
  return JSON.stringify(node.toJS(document)).length;
}
