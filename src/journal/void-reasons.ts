/**
 * Names of the reasons for which a slice does not count: its own number is wrong. Each is a check in
 * src/measure/run/validity/validity.ts. Disturbances from outside are noise, and no reason.
 */
export const voidReasons = [
  'failed requests',
  'littles law',
  'generator busy',
  'connections',
  'listen overflow',
  'retransmits',
  'transactions',
  'send lag',
  'long answers',
  'paused',
] as const;

export type VoidReason = (typeof voidReasons)[number];
