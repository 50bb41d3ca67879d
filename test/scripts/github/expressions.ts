/** What `${{ ... }}` looks names up in: `inputs.scenario` is `contexts.inputs.scenario`. */
export type Contexts = Readonly<Record<string, unknown>>;

const PATH = /^[a-z]+(\.[\w-]+)+$/;

/** A text with its `${{ ... }}` filled in, as GitHub does: what is not there is the empty text. Throws for anything but names. */
export function filledIn(text: string, contexts: Contexts): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => lookedUp(expression.trim(), contexts));
}

function lookedUp(path: string, contexts: Contexts): string {
  if (!PATH.test(path)) throw new Error(`this runner knows no expression "${path}"`);
  let value: unknown = contexts;
  for (const key of path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return value === undefined || value === null ? '' : String(value);
}

/** Whether a step with this `if` runs: without one, where all before it went well. Throws for what is not used here. */
export function runsNow(condition: string | undefined, allWell: boolean, contexts: Contexts): boolean {
  if (condition === undefined) return allWell;
  const inner = /^\$\{\{(.*)\}\}$/.exec(condition)?.[1] ?? condition;
  const parts = inner.split('&&').map((part) => part.trim());
  // As GitHub has it, `success()` is meant where no part asks how the steps before ended.
  const asks = parts.includes('!cancelled()');
  return (asks || allWell) && parts.every((part) => part === '!cancelled()' || isNotEmpty(part, contexts));
}

function isNotEmpty(part: string, contexts: Contexts): boolean {
  const path = /^(.*) != ''$/.exec(part)?.[1];
  if (path === undefined) throw new Error(`this runner knows no condition "${part}"`);
  return lookedUp(path, contexts) !== '';
}
