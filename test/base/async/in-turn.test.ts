import { setImmediate as immediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createInTurn } from '../../../src/base/async/in-turn.ts';

describe('work in turn', () => {
  it('begins when what was asked for earlier has ended, also by an error, and gives each its own result', async () => {
    const inTurn = createInTurn();
    const steps: string[] = [];
    const work = (name: string, fails = false) =>
      inTurn(async () => {
        steps.push(`${name} begins`);
        await immediate();
        steps.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const all = await Promise.allSettled([work('a'), work('b', true), work('c')]);
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
    expect(all.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([
      'a',
      'Error: b',
      'c',
    ]);
  });
});
