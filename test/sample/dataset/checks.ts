import type { Document } from '../../../scenarios/services/documents/dataset/types.ts';
import { describeDocument } from '../../../scenarios/services/documents/model/document.ts';

/** What is wrong with the order of documents: references to what did not come before, and natural keys that come twice. */
export function problemsOf(documents: Iterable<Document>): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const { resource, body } of documents) {
    const { aliasIds, references, identity } = describeDocument(resource, body);
    for (const reference of references) {
      if (seen.has(reference.documentId)) continue;
      const to = `${reference.resourceName} ${JSON.stringify(reference.identity)}`;
      problems.push(`${resource} ${JSON.stringify(identity)} refers to ${to}, which did not come before`);
    }
    for (const id of aliasIds) {
      if (seen.has(id)) problems.push(`${resource} ${JSON.stringify(identity)} comes twice`);
      seen.add(id);
    }
  }
  return problems;
}

export function countByResource(documents: Iterable<Document>): Record<string, number> {
  const counts: Record<string, number> = { descriptors: 0 };
  for (const { resource } of documents) {
    const name = resource.endsWith('Descriptors') ? 'descriptors' : resource;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
