import { DatasetError } from '../../errors.ts';
import type { DocumentGraph, GraphProblemError } from './graph.ts';
import { describeElement, type IndexedFile } from './index-file.ts';
import { errorAt, readElements, type XmlElement } from './xml-element.ts';

/**
 * The error that says where in the files a problem of the documents stands. Places are numbers until then: the files
 * are read again for the lines, rather than remembering one for each of a million documents that are right.
 */
export async function explainProblem(
  { problem }: GraphProblemError,
  files: readonly IndexedFile[],
  graph: DocumentGraph,
): Promise<DatasetError> {
  const { element, file } = await elementAt(problem.place, files);
  if (problem.kind === 'missing') return missingError(element, file, graph);
  const other = await elementAt(problem.kind === 'circle' ? problem.target : problem.first, files);
  const { file: name, line, column } = other.element.location;
  if (problem.kind === 'circle') {
    return errorAt(element.location, `refers to the document at ${name}:${line}, which needs this one first`);
  }
  const what = problem.key === 'natural' ? 'the same natural key' : 'the same education organization id';
  return errorAt(element.location, `a document with ${what} is at ${name}:${line}:${column} already`);
}

function missingError(element: XmlElement, file: IndexedFile, graph: DocumentGraph): DatasetError {
  const missing = describeElement(element, file.identified).references.find(
    ({ documentId, resourceName }) =>
      graph.placeOf(graph.keys.find(documentId)) < 0 && !resourceName.endsWith('Descriptor'),
  );
  const key = JSON.stringify(missing?.identity);
  return errorAt(element.location, `refers to a ${missing?.resourceName} that is in no file: ${key}`);
}

async function elementAt(
  place: number,
  files: readonly IndexedFile[],
): Promise<{ element: XmlElement; file: IndexedFile }> {
  const file = files.findLast(({ firstPlace }) => firstPlace <= place);
  let index = file?.firstPlace ?? 0;
  if (file) for await (const element of readElements(file.file)) if (index++ === place) return { element, file };
  throw changedError(file?.file.name ?? 'A file');
}

/** The error where a file is not what it was when it was read first. */
export function changedError(name: string): DatasetError {
  return new DatasetError(`${name} was changed while it was read`, { hint: 'Load it again.' });
}
