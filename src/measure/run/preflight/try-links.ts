import type { LinkReading } from '../../../journal/link/link-record.ts';
import type { Variant } from '../../../journal/scenario-record.ts';
import type { Finding } from '../../finding.ts';
import { runParts } from '../../link/parts.ts';
import type { ArmDatabases } from '../servers/arm-databases.ts';
import type { TryService } from './try-service.ts';

const COPY = 'pgsweep_try_link';

/** Opens each link that is to be measured once, and measures it. Throws PgsweepError `stack` where it cannot be had. */
export async function tryLinks(context: TryService): Promise<Finding[]> {
  const { databases } = context.stack;
  if (databases === null) return [];
  const findings: Finding[] = [];
  for (const { measured } of runParts) {
    for (const variant of measured === undefined ? [] : differentBy(context.scenario.variants, measured.by)) {
      context.io.signal.throwIfAborted();
      findings.push(...(measured?.finding(variant, await measure(context, databases, variant)) ?? []));
    }
  }
  return findings;
}

function differentBy(variants: readonly Variant[], by: (variant: Variant) => unknown): Variant[] {
  const linked = variants.filter((variant) => by(variant) !== undefined);
  return [...new Map(linked.map((variant) => [JSON.stringify(by(variant)), variant])).values()];
}

async function measure(
  { stack: { openLink, reaper }, io: { signal } }: TryService,
  databases: ArmDatabases,
  variant: Variant,
): Promise<LinkReading> {
  try {
    const { url, networkPid } = await databases.copy(COPY, { name: variant.name, variant });
    const link = await openLink({ variant, databaseUrl: url, networkPid, reaper, signal });
    try {
      return await link.verify();
    } finally {
      await link.close();
    }
  } finally {
    await databases.drop(COPY);
  }
}
