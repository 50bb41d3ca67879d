import { fewestBesideStep } from '../../src/judge/stats/change-points.ts';

/** From far fewer on a step needs the least that it can. */
const MOST_RUNS = 100;

/** How many runs a step needs beside it to be found, by how many there are. */
export function plainStepsTable(): string {
  const rows: { readonly from: number; to: number; readonly needed: number | null }[] = [];
  for (let runs = 1; runs <= MOST_RUNS; runs++) {
    const needed = fewestBesideStep(runs);
    const last = rows.at(-1);
    if (last?.needed === needed) last.to = runs;
    else rows.push({ from: runs, to: runs, needed });
  }
  const lines = rows.map(({ from, to, needed }) => {
    const which =
      from === 1 ? `up to ${to}` : to === MOST_RUNS ? `${from} and more` : from === to ? from : `${from} to ${to}`;
    return `| ${which} | ${needed ?? 'no step is found'} |`;
  });
  return ['| runs in the history | runs needed before and after the step |', '| --: | --: |', ...lines].join('\n');
}
