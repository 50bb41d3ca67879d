import { present } from '../../base/present.ts';
import { visible } from '../../base/visible.ts';
import type { Settling, SettlingVariant, Side } from '../../judge/between-runs/types.ts';
import { sides } from '../../judge/between-runs/types.ts';
import { writtenParts } from '../parts/parts.ts';
import { areaWords } from './words.ts';

/** The measurement that would settle what two runs leave open: sentences, and lines to copy. */
export interface SettlingWords {
  readonly sentences: readonly string[];
  /** Lines for the scenario; empty where there is nothing to write. */
  readonly yaml: readonly string[];
  readonly commands: readonly string[];
}

/** The words about a settling measurement. No command contains a run's name, which may come from elsewhere. */
export function settlingWords(settling: Settling): SettlingWords {
  switch (settling.kind) {
    case 'one-sweep':
      return {
        sentences: present([
          'One sweep with both as variants, on one machine, settles it: they take turns there, and levels have a verdict. In a copy of the scenario beside it, put this in place of sweep or variants, of against and of control. Read it first: it comes from the run folders.',
          settling.commits !== null &&
            'Both runs were made in one folder, at two commits: make a checkout of each beside the repository, and install what they need.',
        ]),
        yaml: ['variants:', ...sides.map((side) => `  ${side}: ${flow(settling.variants[side])}`), 'control: base'],
        commands: present([
          ...sides.map(
            (side) => settling.commits && `git worktree add ${placeOf(settling, side)} ${settling.commits[side]}`,
          ),
          'pgsweep sweep both.yaml',
        ]),
      };
    case 'in-turn': {
      const { area, needed } = settling;
      const why =
        area === null
          ? 'Nothing that is recorded and could be a variant of one sweep differs.'
          : `What differs (${areaWords[area]}) cannot be a variant of one sweep.`;
      return {
        sentences: [
          `${why} Make ${needed} runs or more a side alternately (base head head base base head head base), and compare them all: levels then have a verdict.`,
        ],
        yaml: [],
        commands: [`pgsweep compare --base base-* --head head-* --planned ${needed}`],
      };
    }
    case 'two-folders':
      return {
        sentences: [
          'Nothing that is recorded and could be a variant differs. If the service has changed, keep both versions, each in a folder: one sweep with both as variants settles it. Leave out against there.',
        ],
        yaml: ['variants:', '  base: { cwd: ../base }', '  head: { cwd: ../head }', 'control: base'],
        commands: ['pgsweep sweep both.yaml'],
      };
  }
}

/** Where a side is checked out: the commands are run in the folder of the scenario, which may be below the top one. */
function placeOf({ variants }: Extract<Settling, { kind: 'one-sweep' }>, side: Side): string {
  const isAtTop = variants[side].cwd?.startsWith(`../${side}`);
  return isAtTop ? `../${side}` : `"$(git rev-parse --show-toplevel)/../${side}"`;
}

/** YAML in one line. Texts are quoted, so that none of them becomes a number, a key or a comment. */
function flow(variant: SettlingVariant): string {
  return visible(flowValue({ ...variant, ...writtenParts(variant) }));
}

function flowValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowValue).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, one]) => `${plainKey(key)}: ${flowValue(one)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function plainKey(key: string): string {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(key) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(key)
    ? key
    : JSON.stringify(key);
}
