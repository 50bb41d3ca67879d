import { loadKind, loadLabel } from '../../journal/load-level.ts';
import type { LoadKind } from '../../journal/load-traits.ts';
import { openAutocannonStream } from './autocannon/autocannon-stream.ts';
import { openBesideStream } from './beside-stream.ts';
import { openHttpStream } from './http-stream.ts';
import type { LoadJob, LoadStream } from './load-generator.ts';
import { openRateStream } from './open-loop/rate-stream.ts';
import type { RequestSource } from './request-source.ts';
import { openUsersStream } from './script/users-stream.ts';

/** How a kind of load is sent. Its jobs have levels of that kind. */
interface StreamKind {
  open(job: LoadJob, source: RequestSource): LoadStream;
}

/** Kinds whose requests come from a source; a k6 script sends its own, and bulk loads are posted by the sample. */
const streams: Readonly<Partial<Record<LoadKind, StreamKind>>> = {
  connections: { open: openHttpStream },
  beside: { open: openBesideStream },
  autocannon: { open: openAutocannonStream },
  rate: { open: openRateStream },
  users: { open: openUsersStream },
};

/** The stream of a job, by its kind of load. */
export function openStream(job: LoadJob, source: RequestSource): LoadStream {
  const kind = streams[loadKind(job.load)];
  if (kind === undefined) throw new Error(`there is no load of ${loadLabel(job.load)}`);
  return kind.open(job, source);
}
