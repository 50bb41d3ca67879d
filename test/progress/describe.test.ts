import { expect, test } from 'vitest';
import { lastingLine } from '../../src/progress/describe.ts';

test('which of several processes had to be killed', () => {
  const killed = (processes?: readonly string[]) =>
    lastingLine({ kind: 'service-killed', arm: 'pool=5', afterMs: 5000, ...(processes && { processes }) });
  expect(killed(['0', '2'])).toBe(
    'instances 0 and 2 of the service of pool=5 did not end by SIGTERM: killed after 5 s',
  );
  expect(killed(['worker'])).toMatch(/^worker of the service of pool=5 did not end/);
  expect(killed()).toMatch(/^the service of pool=5 did not end/);
});
