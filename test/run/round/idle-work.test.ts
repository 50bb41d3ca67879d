import { expect, it } from 'vitest';
import { worksWhenIdle } from '../../../src/run/round/idle-work.ts';
import { noWork } from '../../probe/meter/fake-turn-meter.ts';

const busy = { ...noWork, serviceCpuMs: 3000, postgresCpuMs: 1000, idleMs: 16_000 };

it('a queue that is emptied after the answers is work in the turns of others', () => {
  expect(worksWhenIdle({ ...busy, idleCpuMs: 900 }, 0)).toBe(true);
  expect(worksWhenIdle({ ...busy, idleCpuMs: 270 }, 0)).toBe(false);
});

it('what a service also does when it is left alone is none', () => {
  // 4 % of a CPU all the time: 640 ms in 16 s.
  expect(worksWhenIdle({ ...busy, idleCpuMs: 640 }, 0.04)).toBe(false);
  expect(worksWhenIdle({ ...busy, idleCpuMs: 1900 }, 0.04)).toBe(true);
});

it('nothing is said where it cannot be seen', () => {
  expect(worksWhenIdle({ ...busy, serviceCpuMs: null, idleCpuMs: 9000 }, 0)).toBe(false);
  expect(worksWhenIdle({ ...busy, idleCpuMs: null }, 0)).toBe(false);
});
