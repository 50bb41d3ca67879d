import { markdownTable } from 'markdown-table';
import { type StayingPart, stayingPart } from './components.ts';
import { explainedBy, type Residue } from './explain.ts';
import type { LevelResidues } from './read-sessions.ts';

const percent = (value: number, digits = 1): string => `${(100 * value).toFixed(digits)} %`;
const probability = (p: number): string => (p < 0.001 ? '< 0.001' : p.toFixed(3));

/** What stays with an arm at each load level, what explains it, and F of each session: as Markdown. */
export function armsTable(levels: readonly LevelResidues[]): string {
  const known = levels.flatMap(({ connections, residues }) => {
    const sessions = sessionsOf(residues);
    const part = stayingPart(sessions.map(({ rows }) => rows));
    return part === null ? [] : [{ connections, residues, sessions, part }];
  });
  const head = [
    'connections',
    'sessions',
    'an arm in a round',
    'stays',
    'at most (95 %)',
    'F',
    'degrees of freedom',
    'p',
  ];
  const parts = known.map(({ connections, part }) => partRow(connections, part));
  const facts = [...new Set(known.flatMap(({ residues }) => residues.flatMap((one) => Object.keys(one.facts))))].sort();
  const explained = known.flatMap(({ connections, residues }) =>
    facts.flatMap((fact) => {
      const found = explainedBy(residues, fact);
      return found === null ? [] : [[String(connections), ...explainedRow(found)]];
    }),
  );
  const each = known.flatMap(({ connections, sessions, part }) =>
    part.sessions.map(({ f, p, rounds }, index) => [
      String(connections),
      sessions[index]?.name ?? '',
      String(rounds),
      f.toFixed(2),
      probability(p),
      (sessions[index]?.means ?? []).map((mean) => `${mean < 0 ? '' : '+'}${(100 * mean).toFixed(1)}`).join(' '),
    ]),
  );
  return [
    markdownTable([head, ...parts]),
    markdownTable([['connections', 'session', 'rounds', 'F', 'p', 'arms, % from the mean'], ...each]),
    markdownTable([
      ['connections', 'fact', 'values', 'rate by a standard deviation', 'explains', 'p', 'of what stays', 'p'],
      ...explained,
    ]),
  ].join('\n\n');
}

function partRow(connections: number, { sessions, roundSd, estimate, upper, f, df, p }: StayingPart): string[] {
  const [between, within] = df;
  const all = [String(connections), String(sessions.length), percent(roundSd), percent(estimate), percent(upper, 2)];
  return [...all, f.toFixed(2), `${between}, ${within}`, probability(p)];
}

function explainedRow(found: NonNullable<ReturnType<typeof explainedBy>>): string[] {
  const { fact, values, percentBySd, share, p, ofMeans } = found;
  const stays = ofMeans === null ? ['', ''] : [percent(ofMeans.share, 0), probability(ofMeans.p)];
  return [fact, String(values), `${percentBySd.toFixed(1)} %`, percent(share, 0), probability(p), ...stays];
}

interface SessionRates {
  readonly name: string;
  /** A row for each round in which every arm has a rate. */
  readonly rows: readonly (readonly number[])[];
  /** Of each arm, from the mean of all, as a logarithm. */
  readonly means: readonly number[];
}

/** The rates of the arms of each session that has two complete rounds or more. */
export function sessionsOf(residues: readonly Residue[]): SessionRates[] {
  const names = [...new Set(residues.map(({ session }) => session))];
  return names.flatMap((name) => {
    const own = residues.filter(({ session }) => session === name);
    const arms = [...new Set(own.map(({ arm }) => arm))].sort();
    const rounds = [...new Set(own.map(({ round }) => round))];
    const rows = rounds.flatMap((round) => {
      const rates = arms.flatMap((arm) =>
        own.filter((one) => one.round === round && one.arm === arm).map(({ rate }) => rate),
      );
      return rates.length === arms.length ? [rates] : [];
    });
    if (rows.length < 2) return [];
    const all = rows.flat().reduce((sum, rate) => sum + rate, 0) / (rows.length * arms.length);
    const means = arms.map((_, arm) => rows.reduce((sum, row) => sum + (row[arm] ?? 0), 0) / rows.length - all);
    return [{ name, rows, means }];
  });
}
