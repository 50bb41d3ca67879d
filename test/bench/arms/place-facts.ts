import { mean, sum } from '../../../src/judge/stats/moments.ts';
import type { Moment } from './place-file.ts';

/** CPU time of an arm's processes, in ticks by CPU. */
interface Used {
  readonly service: number[];
  readonly backends: number[];
  readonly generator: number[];
}

/**
 * Where the processes of an arm ran while it had load: shares of CPU 0 by CPU time, and how likely a tick of the service was
 * on the CPU of another (on two CPUs chance gives 0.5). The generator works for all arms, so it counts by what the service used
 * in the same moment. Empty where nothing is known.
 */
export function factsOfCpu(moments: readonly Moment[], database: string): Record<string, number> {
  const used: Used = { service: [], backends: [], generator: [] };
  let [withGenerator, withBackends, weight] = [0, 0, 0];
  for (const { ticks } of moments) {
    const now: Used = { service: [], backends: [], generator: [] };
    for (const [name, byCpu] of ticks) {
      const role = roleOf(name, database);
      if (role !== null) addTo(now[role], byCpu, 1);
    }
    const own = sum(now.service);
    if (own === 0) continue;
    weight += own;
    withGenerator += own * together(now.service, now.generator);
    withBackends += own * together(now.service, now.backends);
    addTo(used.service, now.service, 1);
    addTo(used.backends, now.backends, 1);
    addTo(used.generator, now.generator, own / Math.max(1, sum(now.generator)));
  }
  const memory = moments.flatMap((moment) => moment.memory.filter(([name]) => roleOf(name, database) === 'service'));
  return {
    ...(weight > 0 && {
      serviceOnCpu0: shareOfFirst(used.service),
      backendsOnCpu0: shareOfFirst(used.backends),
      generatorOnCpu0: shareOfFirst(used.generator),
      serviceWithGenerator: withGenerator / weight,
      serviceWithBackends: withBackends / weight,
    }),
    ...(memory.length > 0 && {
      residentMb: mean(memory.map(([, { rss }]) => rss)) / 1024,
      hugeMb: mean(memory.map(([, { huge }]) => huge)) / 1024,
    }),
  };
}

function roleOf(name: string, database: string): keyof Used | null {
  if (name.startsWith('postgres: ')) return name.includes(` ${database} `) ? 'backends' : null;
  if (name.endsWith(`| ${database}`)) return 'service';
  return /\/load\/generator-main\.\w+ \|/.test(name) ? 'generator' : null;
}

function addTo(all: number[], byCpu: readonly number[], times: number): void {
  for (const [cpu, ticks] of byCpu.entries()) all[cpu] = (all[cpu] ?? 0) + times * ticks;
}

function shareOfFirst(byCpu: readonly number[]): number {
  return (byCpu[0] ?? 0) / sum(byCpu);
}

/** How likely a tick of each was on one CPU. */
function together(one: readonly number[], other: readonly number[]): number {
  const [mine, its] = [sum(one), sum(other)];
  return mine === 0 || its === 0 ? 0 : sum(one.map((ticks, cpu) => (ticks / mine) * ((other[cpu] ?? 0) / its)));
}
