import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Language, type Node, Parser } from '@vscode/tree-sitter-wasm';

const wasm = dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm'));

export interface ParsedScript {
  /** `12:5: near "}"`, by line and column. */
  readonly errors: string[];
  /** The names of the script's own parameters, in order. */
  readonly parameters: string[];
}

/** Reads a script by the PowerShell grammar that VS Code uses. */
export async function parsePowerShell(text: string): Promise<ParsedScript> {
  await Parser.init({ locateFile: (file: string) => join(wasm, file) });
  const parser = new Parser();
  parser.setLanguage(await Language.load(join(wasm, 'tree-sitter-powershell.wasm')));
  const tree = parser.parse(text);
  if (tree === null) throw new Error('the grammar gave no tree');
  const errors: string[] = [];
  const parameters: string[] = [];
  const visit = (node: Node, isScript: boolean): void => {
    if (node.isError || node.isMissing) {
      const { row, column } = node.startPosition;
      errors.push(`${row + 1}:${column + 1}: near ${JSON.stringify(node.text.slice(0, 40))}`);
    }
    if (node.type === 'script_parameter' && isScript) {
      const name = node.children.find((child) => child?.type === 'variable');
      parameters.push(name?.text.slice(1) ?? '');
    }
    // The block of a completer has parameters of its own.
    const isItsOwn = isScript && node.type !== 'script_block_expression';
    for (const child of node.children) if (child) visit(child, isItsOwn);
  };
  visit(tree.rootNode, true);
  tree.delete();
  parser.delete();
  return { errors, parameters };
}
