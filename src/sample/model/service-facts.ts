/** Facts about the sample service that a scenario says about any other service. */

/** The variable of its pool's size, and the size where the variable is not set. */
export const poolOfSample = { variable: 'POOL_MAX', unset: 10 } as const;

/** Settings of every session of the sample service, over its database's; pool.ts has the reason. */
export const sampleSessionSettings = { enable_seqscan: 'off', enable_bitmapscan: 'off', jit: 'off' } as const;

/** True if the sample service's sessions override a setting of the database. */
export function isSetBySample(setting: string): boolean {
  return Object.hasOwn(sampleSessionSettings, setting.toLowerCase());
}
