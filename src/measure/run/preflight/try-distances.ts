import { addedMs, type DistanceReading, isOff } from '../../../journal/link/distance.ts';
import type { Variant } from '../../../journal/scenario-record.ts';
import { type Finding, ok, warning } from '../doctor/finding.ts';
import type { ArmDatabases } from '../servers/arm-databases.ts';
import type { TryService } from './try-service.ts';

const COPY = 'pgsweep_try_distance';

interface TryDistances extends Pick<TryService, 'scenario' | 'openLink' | 'reaper' | 'signal'> {
  readonly databases: Pick<ArmDatabases, 'copy' | 'drop'>;
}

/** Opens each distance that the variants name once, and measures it. Throws PgsweepError `stack` where it cannot be had. */
export async function tryDistances(context: TryDistances): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const variant of differentDistances(context.scenario.variants)) {
    context.signal.throwIfAborted();
    findings.push(...(await tryOne(context, variant)));
  }
  return findings;
}

function differentDistances(variants: readonly Variant[]): Variant[] {
  const distant = variants.filter(({ distance }) => distance !== undefined);
  return [...new Map(distant.map((variant) => [JSON.stringify(variant.distance), variant])).values()];
}

async function tryOne({ openLink, databases, reaper, signal }: TryDistances, variant: Variant): Promise<Finding[]> {
  try {
    const { url, networkPid } = await databases.copy(COPY, { name: variant.name, variant });
    const link = await openLink({ variant, databaseUrl: url, networkPid, reaper, signal });
    try {
      const { distance } = await link.verify();
      return distance === undefined ? [] : [findingOf(variant, distance)];
    } finally {
      await link.close();
    }
  } finally {
    await databases.drop(COPY);
  }
}

function findingOf({ name }: Variant, reading: DistanceReading): Finding {
  const found = `"${name}" is ${addedMs(reading).toFixed(2)} ms from its database, ${reading.asked.rttMs} ms asked`;
  if (!isOff(reading)) return ok('distance', found);
  return warning('distance', found, 'Every round measures it again; a machine with less other load comes closer.');
}
