import { describe, expect, it } from 'vitest';
import type { Summary } from '../../../src/judge/summary.ts';
import { swept } from '../../live/diagnosis/live-session.ts';

/** What a machine that all of the run shares may bring about, and what is then true of it whatever the service does. */
const ofTheMachine = ['generator-is-the-limit', 'checkpoint-or-autovacuum'];

function accused({ findings }: Summary): string[] {
  return findings.filter(({ name }) => !ofTheMachine.includes(name)).map(({ text }) => text);
}

describe('a healthy service has no finding', () => {
  it('in any arm, under any load, where all variants are the same', { timeout: 240_000 }, async () => {
    const summary = await swept(
      `
variants: { Control: {}, Same: {} }
control: Control
load: { connections: [1, 25], slice: 2s, drop: 500ms, warmup: 2s, workload: upsert-schools }
`,
      {
        rounds: 2,
        service: 'target: { service: documents }\ndataset: { template: partial-grand-bend, documents: 2000 }',
      },
    );
    expect(accused(summary)).toEqual([]);
    expect(summary.saturation).toHaveLength(2 * 3);
  });

  it('with pools too small and too large for its clients', { timeout: 240_000 }, async () => {
    const summary = await swept(
      `
sweep: { pool: { env: POOL_MAX, levels: [2, 10, 50] } }
control: { pool: 10 }
load: { connections: [4, 50], slice: 2s, drop: 500ms, warmup: 2s, workload: upsert-schools }
`,
      {
        rounds: 1,
        service: 'target: { service: documents }\ndataset: { template: partial-grand-bend, documents: 2000 }',
      },
    );
    // A pool of 2 may well be too small, where Postgres has cores left.
    expect(accused(summary).filter((text) => !/^pool=2, .* connections work and/.test(text))).toEqual([]);
  });
});
