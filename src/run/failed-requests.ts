import type { OutcomesRecord, SliceRecord } from '../journal/records.ts';
import type { WorkloadSpec } from '../journal/scenario-record.ts';

interface FailedCount {
  readonly failed: number;
  readonly requests: number;
}

/**
 * How many requests of a slice's window had another status than those expected (any 2xx where nothing is declared), an
 * error, or no answer in time.
 */
export function countFailed(slice: Pick<SliceRecord, 'outcomes' | 'byRequest'>, workload: WorkloadSpec): FailedCount {
  const specs = workload.kind === 'requests' ? workload.requests : [];
  const [only] = specs;
  if (specs.length === 1) return countIn(slice.outcomes, only?.expect);
  const named = Object.entries(slice.byRequest);
  // Without a split by name nothing can be declared for a name.
  if (named.length === 0) return countIn(slice.outcomes, undefined);
  const counts = named.map(([name, { outcomes }]) => {
    const expected = specs.filter((spec) => spec.name === name);
    // Requests that share a name share what is expected of them; one without `expect` takes any 2xx.
    const statuses = expected.some(({ expect }) => expect === undefined)
      ? undefined
      : expected.flatMap(({ expect }) => expect ?? []);
    return countIn(outcomes, statuses?.length === 0 ? undefined : statuses);
  });
  return {
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
    requests: counts.reduce((sum, { requests }) => sum + requests, 0),
  };
}

function countIn({ statuses, errors, timeouts }: OutcomesRecord, expect: readonly number[] | undefined): FailedCount {
  let failed = errors + timeouts;
  let requests = failed;
  for (const [status, count] of Object.entries(statuses)) {
    requests += count;
    const fine = expect === undefined ? isOk(status) : expect.includes(Number(status));
    if (!fine) failed += count;
  }
  return { failed, requests };
}

/** The 2xx answers, as a share of everything that came of the requests; 1 where nothing did. */
export function okShare({ statuses, errors, timeouts }: OutcomesRecord): number {
  let ok = 0;
  let all = errors + timeouts;
  for (const [status, count] of Object.entries(statuses)) {
    all += count;
    if (isOk(status)) ok += count;
  }
  return all === 0 ? 1 : ok / all;
}

function isOk(status: string): boolean {
  return status.startsWith('2');
}
