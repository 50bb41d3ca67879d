import type { Verdict } from './judge.ts';
import type { Setting } from './settings.ts';

/** What another setting is to the one in question. */
export interface Against {
  readonly other: Setting;
  /** More of its requests failed than of the control's. */
  readonly fails: boolean;
  readonly verdict: Verdict;
  /** In percent; null where there is none. */
  readonly interval: readonly [number, number] | null;
  readonly note: string;
}

/** Why a setting is as good as the best: `25, 35 are the same within 5 %, 50 is 6-11 % slower`. */
export function reasonText(others: readonly Against[], marginPercent: number): string {
  const failing = others.filter(({ fails }) => fails);
  const same = others.filter(({ verdict, fails }) => verdict === 'same' && !fails);
  const slower = others.filter(({ verdict, fails }) => verdict === 'lower' && !fails);
  const parts = [
    ...(same.length === 0 ? [] : [`${namesOf(same)} ${areOrIs(same)} the same within ${marginPercent} %`]),
    ...slower.map((one) => `${one.other.label} is ${sizeOf(one)}slower`),
    ...(failing.length === 0 ? [] : [`more requests fail with ${namesOf(failing)}`]),
  ];
  return parts.join(', ');
}

/** Why there is no recommendation, from the settings that none is shown to be better than. */
export function undecidedText(
  unbeaten: readonly { readonly setting: Setting; readonly others: readonly Against[] }[],
  control: string,
): string {
  const first = unbeaten.find(({ setting }) => setting.variant === control) ?? unbeaten[0];
  if (first === undefined) return 'no recommendation: none is as good as all the others';
  const unclear = first.others.filter(({ verdict }) => verdict !== 'same' && verdict !== 'lower');
  const beaten = first.others.filter(({ verdict }) => verdict === 'lower').map(({ other }) => other.label);
  const waits = new Set(unclear.map(({ note }) => /would take [^;]*/.exec(note)?.[0] ?? '').values());
  const [wait] = [...waits].sort((a, b) => roundsIn(b) - roundsIn(a));
  const said = `no recommendation: whether ${namesOf(unclear)} ${areOrIs(unclear)} better than ${first.setting.label} is unclear`;
  return [
    wait === undefined || wait === '' ? said : `${said} (${wait})`,
    ...(beaten.length === 0 ? [] : [`${beaten.join(', ')} ${beaten.length === 1 ? 'is' : 'are'} slower`]),
  ].join('; ');
}

function roundsIn(wait: string): number {
  const rounds = Number(/\d+/.exec(wait)?.[0] ?? 0);
  return wait.includes('more than') ? rounds + 1 : rounds;
}

function namesOf(others: readonly Against[]): string {
  const names = others.map(({ other }) => other.label);
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function areOrIs(others: readonly Against[]): string {
  return others.length === 1 ? 'is' : 'are';
}

/** `6-11 % `: both ends of the interval, the nearer first; empty where there is none. */
function sizeOf({ interval }: Against): string {
  if (interval === null) return '';
  const [near, far] = interval.map(Math.abs).sort((a, b) => a - b);
  const show = (size: number | undefined): string => String(Number((size ?? 0).toPrecision(2)));
  return `${show(near)}-${show(far)} % `;
}
