import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { valueAt } from '../../base/json-path.ts';
import type { AgainstTaken } from '../../journal/run/against-record.ts';
import { type ResolvedScenario, variantNamed } from '../../journal/scenario-record.ts';
import { pathIn } from '../../measure/against/repository.ts';
import { parseYaml } from '../../scenario/load-scenario.ts';

/**
 * The commits with the commands of their own scenario files: a branch may have renamed what starts the service. Each command is
 * read where the scenario has the control's: at the variant if that has its own, else at the target.
 */
export function withCommands(scenario: ResolvedScenario, taken: AgainstTaken): AgainstTaken {
  const { file, target, control } = scenario;
  const inside = pathIn(taken.repository, resolve(file));
  if (inside === null || target.kind !== 'command') return taken;
  const own = variantNamed(scenario, control).command;
  const place = own === undefined ? ['target', 'command'] : ['variants', control, 'command'];
  const commits = taken.commits.map((one) => {
    const command = textAt(join(one.folder, inside), place);
    return command !== undefined && command !== (own ?? target.command) ? { ...one, command } : one;
  });
  return { ...taken, commits };
}

/** A text in a YAML file; undefined where there is none that can be read. */
function textAt(file: string, place: readonly string[]): string | undefined {
  try {
    const found: unknown = valueAt(parseYaml(readFileSync(file, 'utf8'), file).document.toJS(), place);
    return typeof found === 'string' ? found : undefined;
  } catch {
    return undefined;
  }
}
