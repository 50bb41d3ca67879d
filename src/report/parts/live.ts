import { present } from '../../base/present.ts';
import { oneLine } from '../../base/visible.ts';
import type { LiveSwitch } from '../../journal/live-switch.ts';
import { formatDelta, plural, signed } from '../../judge/format.ts';
import { isCertain, type LiveLevel } from '../../judge/read/parts/live.ts';
import type { ReportPart } from './part.ts';

/** Variants to which a running service and its database are switched. */
export const live = {
  words: (spec) =>
    changesOf(spec)
      .map(([, words]) => words)
      .join(', '),
  namesItself: true,
  ofAll(all) {
    const names = present(all).flatMap((spec) => changesOf(spec).map(([name]) => name));
    return `all arms are one process, switched by ${[...new Set(names)].join(', ')}`;
  },
  // One run cannot be switched to the settings of another.
  written: () => null,
} satisfies ReportPart<LiveSwitch>;

/** Longest statement or request that is shown; a longer one is cut. */
const MOST_CHARACTERS = 97;

/** `work_mem`, and `work_mem = 64MB (database)`; `PUT /pool`, and `PUT /pool {"max":10}`. */
function changesOf({ settings, indexes, sql, requests }: LiveSwitch): (readonly [name: string, words: string])[] {
  return [
    ...settings.map(({ name, value, place }) => [name, `${name} = ${value ?? 'as it was'} (${place})`] as const),
    ...indexes.map(({ name, hidden }) => [name, `${hidden ? 'hides' : 'shows'} ${name}`] as const),
    ...sql.map((statement) => ['SQL', `runs ${oneLine(statement, MOST_CHARACTERS)}`] as const),
    ...requests.map(({ method, path, body }) => {
      const name = `${method} ${path}`;
      return [name, body === undefined ? name : oneLine(`${name} ${JSON.stringify(body)}`, MOST_CHARACTERS)] as const;
    }),
  ];
}

/** How settings were switched live under a load level; nothing where arms were separate processes. */
export function liveWords([level]: readonly LiveLevel[]): string[] {
  if (level === undefined) return [];
  const { starts, blocks, switches, seen, switchMs, settleMs, noise, blocksDeserved, carryOver } = level;
  const of = `${blocks.least === blocks.most ? '' : `${blocks.least} to `}${plural(blocks.most, 'block')}`;
  const deserved =
    blocksDeserved === null ? '' : `, so about ${plural(blocksDeserved, 'block')} per start would be best`;
  const carried = carryOver.filter(isCertain);
  return present([
    `Switched live: ${plural(starts, 'start')} of one process, each of ${of} in which every setting had a turn once forwards and once backwards. A change is judged by starts.`,
    `${plural(switches, 'switch', 'switches')}, each ${seen ? 'seen before its turn' : 'answered with 2xx before its turn, which is all that was seen of it (verify: would see more)'}, ${switchMs.toFixed(0)} ms on average; ${settleMs} ms of load after each are not counted.`,
    noise &&
      `The change of a setting differs by ${noise.betweenStartsPercent.toFixed(1)} % between starts and ${noise.betweenBlocksPercent.toFixed(1)} % between the blocks of a start${deserved}.`,
    ...carried.map(
      ({ variant, percent, interval }) =>
        `Turns of ${variant} directly after another setting answered ${formatDelta(percent)} compared with turns after itself (${interval?.map((end) => signed(end, 1)).join(' to ')} %): its switch is not complete when its turns begin to count, so its change is off by about as much. Verdicts that would not hold with that are \`unfit\`. A longer load.settle helps, or a separate arm (without live).`,
    ),
  ]);
}
