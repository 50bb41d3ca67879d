import type { RunData } from '../read/run-data.ts';

/** The changes that were seen in a variant's database. */
export interface TreatmentSummary {
  readonly variant: string;
  /** `ix_a dropped`, `shared_buffers = 1GB (own server)` */
  readonly changes: readonly string[];
}

/** In the order of the scenario. Every round applies the same, so the last one speaks for all. */
export function treatmentsOf({ scenario, arms }: RunData): TreatmentSummary[] {
  return scenario.variants.flatMap(({ name }) => {
    const arm = arms.get(name);
    if (arm?.treatment === undefined) return [];
    const changes = arm.treatment.map(({ found }) => found);
    return [{ variant: name, changes }];
  });
}
