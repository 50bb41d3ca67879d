import { addedMs, isOff } from '../../../journal/link/distance.ts';
import { ok, problemOf, warning } from '../../finding.ts';
import type { RunPart } from '../link.ts';
import { chooseDistanceWay, wayWords } from './netem/choose-way.ts';
import { netemLink } from './netem/open-netem.ts';
import { distanceLink } from './open-distance.ts';

/** To open the way of an arm at a distance, and to measure it. */
const DISTANCE_MS = 1000;

/** Distance between a service and its database, made by the kernel or by a proxy. */
export const distance = {
  estimateMs: (variant) => (variant.distance === undefined ? 0 : DISTANCE_MS),
  links: [netemLink, distanceLink],
  async choose(scenario, stack, before) {
    // Of a run whose record names no way a proxy made them.
    const way = await chooseDistanceWay(scenario, stack, { before: before && (before.distanceBy ?? 'proxy') });
    if (way === null) return null;
    const { by, why } = way;
    const provenance = { distanceBy: by, ...(why !== null && { distanceReason: why }) };
    return { words: `distance: ${wayWords(way)}`, provenance, ownNetwork: by === 'netem' };
  },
  async examine(scenario, stack) {
    try {
      const way = await chooseDistanceWay(scenario, stack);
      return way === null ? [] : [ok('distance', `made ${wayWords(way)}`)];
    } catch (error) {
      return [problemOf('distance', error)];
    }
  },
  measured: {
    by: (variant) => variant.distance,
    finding({ name }, { distance: reading }) {
      if (reading === undefined) return [];
      const found = `"${name}" is ${addedMs(reading).toFixed(2)} ms from its database, ${reading.asked.rttMs} ms asked`;
      if (!isOff(reading)) return [ok('distance', found)];
      return [
        warning('distance', found, 'Every round measures it again; a machine with less other load comes closer.'),
      ];
    },
  },
} satisfies RunPart;
