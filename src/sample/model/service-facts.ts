/** What the bench must know of its sample service, besides what a scenario says of any service. */

/** The variable of its pool's size, and the size where the variable is not set. */
export const poolOfSample = { variable: 'POOL_MAX', unset: 10 } as const;

/** What every session of the sample service sets for itself, over what its database says (pool.ts says why). */
export const sampleSessionSettings = { enable_seqscan: 'off', enable_bitmapscan: 'off', jit: 'off' } as const;

/** Whether the sample service's sessions would hide what the database says of a setting. */
export function isSetBySample(setting: string): boolean {
  return Object.hasOwn(sampleSessionSettings, setting.toLowerCase());
}
