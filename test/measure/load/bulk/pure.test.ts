import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/base/random.ts';
import { createExamples } from '../../../../src/measure/load/bulk/examples.ts';
import type { Outgoing } from '../../../../src/measure/load/bulk/post-all.ts';
import { createProgress } from '../../../../src/measure/load/bulk/progress.ts';
import { mayHelp, pauseMs } from '../../../../src/measure/load/bulk/retry.ts';
import type { BulkProgress } from '../../../../src/measure/load/load-generator.ts';
import type { BulkRequest } from '../../../../src/measure/load/workload-module.ts';

describe('a repeat', () => {
  it('is made where it may help', () => {
    expect(([409, 429, 500, 503, 'error', 'timeout'] as const).filter((outcome) => !mayHelp(outcome))).toEqual([]);
    expect([400, 401, 404, 413].filter(mayHelp)).toEqual([]);
  });

  it('waits twice as long each time, within half of that', () => {
    const random = createRandom(1);
    for (const [attempts, middle] of [
      [1, 100],
      [2, 200],
      [4, 800],
    ] as const) {
      const pauses = Array.from({ length: 500 }, () => pauseMs(100, attempts, random));
      expect(Math.min(...pauses)).toBeGreaterThanOrEqual(middle * 0.5);
      expect(Math.max(...pauses)).toBeLessThanOrEqual(middle * 1.5);
      expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(middle * 0.9);
    }
  });
});

describe('progress', () => {
  it('has the rate of the last five seconds, and how long the rest takes at it', () => {
    const clock = { ownMs: 0 };
    let documents = 0;
    const told: BulkProgress[] = [];
    const report = createProgress(clock, () => ({ documents, total: 2000, unmeasured: false }));
    /** A turn that lasts until then, in which this many were finished. */
    const turn = (toMs: number, finished: number): BulkProgress | undefined => {
      const end = report((progress) => void told.push(progress));
      [clock.ownMs, documents] = [toMs, finished];
      end();
      return told.at(-1);
    };
    expect(turn(400, 40)).toBeUndefined();
    expect(turn(500, 50)).toMatchObject({ documents: 50, total: 2000, documentsPerSecond: 100, leftMs: 19_500 });
    for (let ms = 1000; ms <= 10_000; ms += 500) turn(ms, ms / 10);
    expect(told.at(-1)?.documentsPerSecond).toBe(100);
    // From here on nothing more is finished.
    for (let ms = 10_500; ms < 15_000; ms += 500) turn(ms, 1000);
    expect(told.at(-1)?.documentsPerSecond).toBeGreaterThan(0);
    expect(turn(15_000, 1000)).toMatchObject({ documentsPerSecond: 0, leftMs: null });
  });
});

describe('examples', () => {
  const outgoing = (number: number, name: string, request: Partial<BulkRequest> = {}): Outgoing => ({
    request: { path: '/', body: { number }, ...request },
    number,
    name,
    resource: name,
    attempts: 1,
  });
  const answer = { location: null, text: '{"id": 7}' };

  it.each([1, 199, 200, 201, 401, 5000])('of %i documents are spread evenly', (count) => {
    const examples = createExamples();
    const all = Array.from({ length: count }, (_, number) => outgoing(number, 'schools'));
    for (const one of all) examples.read(one);
    for (const one of all.reverse()) examples.settled(one, answer, true);
    const kept = examples.list().map(({ body }) => Number(body.number));
    expect(kept.length).toBeLessThanOrEqual(200);
    expect(kept.length).toBeGreaterThanOrEqual(Math.min(count, 100));
    const stride = (kept[1] ?? 1) - (kept[0] ?? 0);
    expect(kept).toEqual(kept.map((_, index) => index * stride));
    expect(count - 1 - (kept.at(-1) ?? 0)).toBeLessThan(stride);
  });

  it('are few of a kind where few are wanted', () => {
    const examples = createExamples();
    const all = Array.from({ length: 1000 }, (_, number) => outgoing(number, 'descriptors', { keep: 50 }));
    for (const one of [...all, outgoing(5000, 'schools')]) {
      examples.read(one);
      examples.settled(one, answer, true);
    }
    expect(examples.list().at(-1)).toEqual({ id: '7', resource: 'schools', body: { number: 5000 } });
    expect(examples.list().length).toBeLessThanOrEqual(51);
  });

  it('are those that were accepted and have an id', () => {
    const examples = createExamples();
    const answers = [
      [{ location: 'http://x/items/a?b', text: '' }, true],
      [{ location: null, text: '{"name": 1}' }, true],
      [answer, false],
    ] as const;
    for (const [number, [given, accepted]] of answers.entries()) {
      const one = outgoing(number, 'x');
      examples.read(one);
      examples.settled(one, given, accepted);
    }
    examples.read(outgoing(9, 'x'));
    expect(examples.list()).toEqual([{ id: 'a', resource: 'x', body: { number: 0 } }]);
  });
});
