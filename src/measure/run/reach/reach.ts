import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PgsweepError } from '../../../base/errors.ts';
import { hasPostgres } from '../../../journal/link/own-database.ts';
import type { ResolvedScenario, Variant } from '../../../journal/scenario-record.ts';
import { type Finding, ok, warning } from '../../finding.ts';
import { withPartsEnv } from '../../link/parts.ts';
import { startOf, startOfNamed } from '../../target/start-of.ts';
import type { Start } from '../../target/start-process.ts';
import { pidsOf, type StartedTarget } from '../../target/target.ts';
import { likelyOverrider } from './overrider.ts';
import { addressTest, lookAt, type Other, type Reached, textOf } from './reached.ts';
import type { Reach, ReachOptions } from './watched.ts';

/** Before Postgres 15, a session's work shows at most this long after its end. */
const REPORTED_MS = 700;
/** Transactions of a look in the copy: to connect, to free the session of limits, and each statement. */
const OF_A_LOOK = 5;
/** Transactions in which the bench has tried a pooler, at most: their sessions end, and report them, at any time after. */
const OF_A_POOLER = 20;

/** Null where the service gets no copy. */
export function watchReach(options: ReachOptions): Reach | null {
  const { scenario, stack, variant, database, armName, url, isLinked } = options;
  const { databases, indices, reaper } = stack;
  if (url === null || databases === null || ['url', 'none'].includes(scenario.target.kind) || !hasPostgres(variant))
    return null;
  const mark = { ...reaper.mark, PGSWEEP_ARM: armName };
  const known = indices === null ? [] : [indices.url];
  const starts = startsOf(scenario, withPartsEnv(variant));
  let before: Reached | null = null;
  let firstMs = Number.POSITIVE_INFINITY;
  const reach = {
    isUsed: false,
    async look(target: StartedTarget, when: string, own = 0) {
      const use = await databases.use(database);
      if (use === null) return NOTHING;
      const reached = await lookAt({ pids: pidsOf(target), mark, known, databaseUrl: url, isLinked }, use);
      const others = reached.sessions === 0 ? reached.others : await unnamed(reached.others, starts);
      const [other] = others;
      if (other !== undefined) throw misled({ name: variant.name, url, when, starts }, other, others);
      const late = variant.pooler === undefined ? 0 : OF_A_POOLER;
      const explained = before === null ? reached.transactions : before.transactions + OF_A_LOOK + own + late;
      // A service that is slow makes few transactions, and its pool may have closed again.
      const isAccessed = before !== null && reached.accesses > before.accesses;
      firstMs = Math.min(firstMs, reached.atMs);
      // Behind a pooler sessions are its own, and outlive their clients: statements decide.
      const holds = variant.pooler === undefined ? reached.sessions > 0 : (reached.askedMs ?? 0) > firstMs;
      reach.isUsed ||= holds || isAccessed || reached.transactions > explained;
      before = reached;
      return reached;
    },
    async findings(target: StartedTarget) {
      let last = await reach.look(target, AFTER_ALL);
      if (scenario.dataset.kind === 'none' && !reach.isUsed) return [];
      if (!reach.isUsed) {
        await sleep(REPORTED_MS);
        last = await reach.look(target, AFTER_ALL);
      }
      return [reachFinding(variant, reach.isUsed, last)];
    },
  };
  return reach;
}

const AFTER_ALL = 'After one request of each kind';
const NOTHING: Reached = {
  others: [],
  sessions: 0,
  roles: [],
  processes: null,
  transactions: 0,
  accesses: 0,
  askedMs: null,
  atMs: Number.POSITIVE_INFINITY,
};

function startsOf({ target }: ResolvedScenario, variant: Variant): Start[] {
  if (target.kind === 'url' || target.kind === 'none') return [];
  if (target.kind !== 'services') return [startOf(target, variant)];
  return Object.keys(target.services).map((name) => startOfNamed(name, target, variant));
}

/** Others that no variable of the scenario names: a service that uses its copy may use what the scenario gives it as well. */
async function unnamed(others: readonly Other[], starts: readonly Start[]): Promise<readonly Other[]> {
  const urls = starts.flatMap(({ env }) => Object.values(env).filter((value) => /^postgres(ql)?:\/\//.test(value)));
  const tests = await Promise.all(urls.filter((url) => URL.canParse(url)).map(addressTest));
  return others.filter((other) => other.kind !== 'server' || !tests.some((isNamed) => isNamed(other.at)));
}

interface MisledService {
  readonly name: string;
  readonly url: string;
  readonly when: string;
  readonly starts: readonly Start[];
}

function misled({ name, url, when, starts }: MisledService, first: Other, all: readonly Other[]): PgsweepError {
  const [start] = starts;
  const { host } = new URL(url);
  const found = `${when} "${name}" is connected to ${all.map(otherWords).join(' and ')}, and should be to its copy alone (${host}): pgsweep sends it no load`;
  const other = first.kind === 'server' ? first.at : first.at;
  const likely =
    start === undefined || first.kind === 'database'
      ? `The name of the database comes from elsewhere than ${start?.databaseUrlVariable ?? 'the URL'}: look in dotenv files and the configuration`
      : likelyOverrider({
          cwd: resolve(start.cwd ?? '.'),
          command: starts.map(({ command }) => [command].flat().join(' ')).join(' '),
          variable: start.databaseUrlVariable,
          other,
        });
  return new PgsweepError('target', found, {
    hint: `${likely}. If the service needs that database beside its copy, give it the URL by target.env.`,
  });
}

function otherWords(other: Other): string {
  switch (other.kind) {
    case 'server':
      return `another Postgres at ${textOf(other.at)}`;
    case 'path':
      return `another Postgres by the socket ${other.at}`;
    case 'database':
      return `the database ${other.at} of the same Postgres`;
  }
}

/** Finding on how a service that was tried uses its copy. */
function reachFinding({ name }: Variant, isUsed: boolean, { sessions, roles, processes }: Reached): Finding {
  if (!isUsed)
    return warning(
      'database',
      `"${name}" used its copy for none of the requests that were tried: no session, no statement`,
      'If answers come from a cache, or the pool opens late, that may be meant. If the load of the first round does not reach the copy either, the run ends there.',
    );
  const by = roles.length === 0 ? '' : ` as ${roles.join(', ')}`;
  const held = processes === null || processes < 2 ? '' : ` from ${processes} processes`;
  return ok('database', `"${name}" uses its copy: ${sessions} session${sessions === 1 ? '' : 's'}${held}${by}`);
}

/** The error of a round whose load went elsewhere, or nowhere. */
export function neverReached(name: string): PgsweepError {
  return new PgsweepError(
    'target',
    `"${name}" answered a round of load without one session or statement in its copy of the database`,
    {
      hint: 'It uses another database, or none: look where it gets its address, and whether requests reach the database at all. A service with another kind of database, or without one, needs database: none.',
    },
  );
}
