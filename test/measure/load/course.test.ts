import { expect, it } from 'vitest';
import { createCourse } from '../../../src/measure/load/course.ts';
import { createTally } from '../../../src/measure/load/tally.ts';

it('a window has a course of equal parts, with the mean and the tail of each', () => {
  const course = createCourse({ fromMs: 1000, toMs: 11_000 });
  // One answer each 10 ms: of 1 ms in the first half, of 3 ms in the second, where one of each hundred takes 50.
  for (let i = 0; i < 1000; i++) course?.answer(1000 + 10 * i, i < 500 ? 1000 : i % 50 === 0 ? 50_000 : 3000, i % 2);
  const { partMs, ok, meanUs, p99Us, byRequest } = course?.result(['even', 'odd'], 11_000) ?? {};
  expect(partMs).toBe(500);
  expect(ok).toEqual(new Array(20).fill(50));
  expect(meanUs?.slice(0, 10)).toEqual(new Array(10).fill(1000));
  expect(meanUs?.slice(10)).toEqual(new Array(10).fill((49 * 3000 + 50_000) / 50));
  expect(p99Us?.[0]).toBeCloseTo(1000, -1);
  expect(p99Us?.[19]).toBeGreaterThanOrEqual(50_000);
  expect(byRequest?.odd).toEqual({
    ok: new Array(20).fill(25),
    meanUs: [...new Array(10).fill(1000), ...new Array(10).fill(3000)],
  });
});

it('parts without an answer are empty, and a short window has no course', () => {
  const course = createCourse({ fromMs: 0, toMs: 6000 });
  course?.answer(5999, 7, 0);
  const { ok, meanUs, byRequest } = course?.result(['only'], 6000) ?? {};
  expect(ok).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect(meanUs?.at(-1)).toBe(7);
  expect(byRequest).toEqual({});
  expect(course?.result(['only'], 1400).ok).toEqual([0, 0, 0]);
  expect(createCourse({ fromMs: 0, toMs: 1999 })).toBeNull();
});

it('a tally has the course of one long stretch, of what came in its window as expected', () => {
  const tally = createTally({ names: ['a'] });
  tally.begin({ fromMs: 100, toMs: 5100 });
  tally.answer(50, 200, 1, 1000, 0);
  tally.answer(200, 200, 1, 1000, 0);
  tally.answer(300, 500, 1, 1000, 0);
  tally.end();
  expect(tally.result().course?.ok).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const short = createTally({ names: ['a'] });
  short.begin({ fromMs: 0, toMs: 500 });
  short.end();
  expect(short.result().course).toBeUndefined();
});
