import { expect, test } from 'vitest';
import { judgeRecording } from '../../bench/recordings.ts';

/** `npm run bench:recordings` as a test, where the recordings are at hand. They are fixed, so it cannot fail by chance. */
test.for(['calm', 'disturbed'])('five identical arms on a %s machine: no false verdict', (name, { skip }) => {
  const judged = judgeRecording(name);
  if (judged === null) return skip('there are no recordings in ../shared/noise beside this checkout');
  expect(judged).toMatchObject({ falseVerdicts: 0, falseAtEarlierLooks: 0, falseWork: 0, apart: 0, comparisons: 90 });
  expect(judged.notSteady).toBe(0);
});
