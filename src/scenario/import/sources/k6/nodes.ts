/** A node of acorn's tree (ESTree): its fields depend on its type. */
export interface Node {
  readonly type: string;
  readonly loc?: { readonly start: { readonly line: number } };
  readonly [field: string]: unknown;
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** Calls back for every node, with the names of the functions that it stands in, the innermost first. */
export function visit(
  node: Node,
  each: (node: Node, functions: readonly string[]) => void,
  functions: readonly string[] = [],
): void {
  each(node, functions);
  const name = node.type === 'FunctionDeclaration' ? nameOf(node.id) : undefined;
  const inside = name === undefined ? functions : [name, ...functions];
  for (const child of Object.values(node))
    for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) visit(one, each, inside);
}

/** The name of an identifier, or of a key that is written as one or as a text. */
export function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'Identifier') return String(node.name);
  return node.type === 'Literal' ? String(node.value) : undefined;
}

/** What is called: `http.get` is the name get of the object http; of `sleep` the object is null. */
export function calleeOf({ callee }: Node): { readonly object: string | null; readonly name: string | undefined } {
  if (!isNode(callee)) return { object: null, name: undefined };
  if (callee.type === 'MemberExpression' && callee.computed !== true)
    return { object: nameOf(callee.object) ?? '', name: nameOf(callee.property) };
  return { object: null, name: nameOf(callee) };
}

/** The nodes in a list of them. */
export function childrenOf(field: unknown): Node[] {
  return Array.isArray(field) ? field.filter(isNode) : [];
}

/** What a program imports from a module: the names there, with those that it has here. */
export function importedFrom(program: Node, module: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const node of childrenOf(program.body)) {
    if (node.type !== 'ImportDeclaration' || nameOf(node.source) !== module) continue;
    for (const one of childrenOf(node.specifiers)) {
      const local = nameOf(one.local);
      const imported = one.type === 'ImportSpecifier' ? nameOf(one.imported) : 'default';
      if (local !== undefined && imported !== undefined) found.set(imported, local);
    }
  }
  return found;
}
