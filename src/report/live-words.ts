import type { LiveLevel } from '../analysis/live-blocks.ts';
import { loadKey } from '../journal/load-level.ts';
import type { LoadLevel } from '../journal/scenario-record.ts';
import { plural } from './format.ts';

/** How settings were switched live under a load level; nothing where arms were processes of their own. */
export function liveWords(levels: readonly LiveLevel[], load: LoadLevel | undefined): string[] {
  const level = levels.find((one) => load !== undefined && loadKey(one.load) === loadKey(load));
  if (level === undefined) return [];
  const { starts, blocks, switches, switchMs, settleMs, noise, blocksDeserved, carryOver } = level;
  const of = blocks.least === blocks.most ? `${blocks.least}` : `${blocks.least} to ${blocks.most}`;
  const deserved = blocksDeserved === null ? '' : `, so that a start deserves about ${plural(blocksDeserved, 'block')}`;
  const carried = carryOver.filter(({ interval }) => interval !== null && (interval[0] > 0 || interval[1] < 0));
  return [
    `Switched live: ${plural(starts, 'start')} of one process, each of ${of} blocks in which every setting had a turn once forwards and once backwards. A change is judged by starts.`,
    `${plural(switches, 'switch', 'switches')}, each seen before its turn, ${switchMs.toFixed(0)} ms in the mean, and ${settleMs} ms of load after each that were not counted.`,
    ...(noise === null
      ? []
      : [
          `What a setting changes differs by ${noise.betweenStartsPercent.toFixed(1)} % between starts and ${noise.betweenBlocksPercent.toFixed(1)} % between the blocks of one${deserved}.`,
        ]),
    ...carried.map(
      ({ after, percent, interval }) =>
        `Directly after turns of ${after} the control answered ${signed(percent)} % (${interval?.map(signed).join(' to ')} %): it leaves something behind, and a longer load.settle is needed, or an arm of its own.`,
    ),
  ];
}

function signed(percent: number): string {
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)}`;
}
