/** A node of EXPLAIN (FORMAT JSON), of which only this is read. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  /** Operation of a node that modifies: Insert, Update, Delete, Merge. */
  readonly Operation?: string;
  readonly Plans?: readonly PlanNode[];
}

/**
 * A plan as its nodes from the top, each with its table and index: `Nested Loop | Index Scan on aliases using aliases_pkey |
 * Seq Scan on documents`. Without costs and rows, so that two plans are the same when they do the same.
 */
export function planShape(root: PlanNode): string {
  return nodesOf(root).map(nodeName).join(' | ');
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function nodeName(node: PlanNode): string {
  const { 'Relation Name': relation, 'Index Name': index } = node;
  const on = relation === undefined ? '' : ` on ${relation}`;
  const using = index === undefined ? '' : ` using ${index}`;
  return `${node.Operation ?? node['Node Type']}${on}${using}`;
}

/** True if EXPLAIN accepts the statement: others (BEGIN, SET, COPY) have no plan. */
export function canBeExplained(text: string): boolean {
  const bare = text.replace(/^(?:\s|\(|\/\*[\s\S]*?\*\/|--.*(?:\n|$))+/, '');
  return /^(?:select|insert|update|delete|merge|with|values|table)\b/i.test(bare);
}
