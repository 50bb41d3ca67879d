import type { ChangeBar, ChangeBars } from '../pictures/change-bars.ts';
import { positionOn } from '../pictures/plot.ts';
import { cssPercent } from './css-percent.ts';

/** The inside of an SVG of any width: a bar from one end of the interval to the other, and a line where the change is. */
export function barSvg({ axis, marginPercent, floor }: Omit<ChangeBars, 'bars'>, bar: ChangeBar): string {
  const at = (value: number): number => positionOn(axis, value);
  const box = (name: string, [low, high]: readonly [number, number], y: string, height: string): string =>
    `<rect class="${name}" x="${cssPercent(at(low))}" width="${cssPercent(at(high) - at(low))}" y="${y}" height="${height}"/>`;
  const upright = (name: string, value: number): string =>
    `<line class="${name}" x1="${cssPercent(at(value))}" x2="${cssPercent(at(value))}" y2="100%"/>`;
  const { deltaPercent, interval, verdict } = bar;
  const tone = interval === null ? 'open' : verdict === 'same' ? 'same' : (bar.said.tone ?? 'dim');
  return [
    floor === null ? '' : box('floor', floor, '0', '100%'),
    upright('margin', -marginPercent),
    upright('margin', marginPercent),
    upright('zero', 0),
    interval === null ? '' : box(`bar ${tone}`, interval, '25%', '50%'),
    deltaPercent === null ? '' : `<circle class="${tone}" cx="${cssPercent(at(deltaPercent))}" cy="50%" r="4"/>`,
  ].join('');
}
