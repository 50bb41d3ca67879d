import { textEnv, withoutUndefined } from '../base/schema-values.ts';
import type { OpenSearchSpec, PostgresSpec, ResolvedScenario } from '../journal/scenario-record.ts';
import type { ScenarioDocument } from './schema.ts';

type StackDocument = NonNullable<ScenarioDocument['stack']>;

/** The servers of a scenario, with what was left out left out. */
export function resolveStack({ postgres, opensearch }: StackDocument = {}): ResolvedScenario['stack'] {
  return { postgres: resolvePostgres(postgres), opensearch: resolveOpenSearch(opensearch) };
}

/** How far it is from the services is a matter of each variant; so is, in part, its housekeeping. */
function resolvePostgres({
  settings,
  version,
  rtt: _,
  jitter: __,
  bandwidth: ___,
  housekeeping: ____,
  ...rest
}: StackDocument['postgres'] & {} = {}): PostgresSpec {
  const release = version === undefined ? undefined : String(version);
  return withoutUndefined({ settings: textEnv(settings), version: release, ...rest }) as PostgresSpec;
}

function resolveOpenSearch(asked: StackDocument['opensearch']): boolean | OpenSearchSpec {
  if (typeof asked !== 'object') return asked === 'on' || asked === true;
  const { version, heap, ...rest } = asked;
  const release = version === undefined ? undefined : String(version);
  return withoutUndefined({ version: release, heapMb: heap && megabytesOf(heap), ...rest }) as OpenSearchSpec;
}

/** Reads `512m` or `1g`, as the schema has accepted it. */
function megabytesOf(size: string): number {
  return Number.parseInt(size, 10) * (/g$/i.test(size) ? 1024 : 1);
}
