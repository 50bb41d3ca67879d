import { formatShare } from '../../../base/units.ts';
import { isMuchLater, laterCpuMs, MOST_OF_ONE_EVENT_MS } from '../../../journal/later-cpu.ts';
import { short } from '../../format.ts';
import type { CellSample } from '../../read/cells/cell-sample.ts';
import type { IdleWork } from '../../read/cells/work-sample.ts';
import { sum } from '../../stats/moments.ts';
import type { CrossCheck } from '../cross-check.ts';
import type { DiagnosedCell } from '../diagnosed-cell.ts';

/** Share of an arm's own work: two healthy arms differed by less, among 12 arms too. */
const LEAST_SHARE = 0.05;
/** An arm that did this many times the control's. */
const LEAST_RATIO = 2;
/** Share of the CPU of sessions: below it, background processes cost next to nothing. */
const LEAST_BACKGROUND_SHARE = 0.1;
/** Written to data files, over the clock's time: a checkpoint every 500 answers wrote 16 to 22 (bench:truth). */
const LEAST_MB_PER_S = 10;

/** Work that comes after the answers, much more than the control's: a queue in the service, or the upkeep of database and disk. */
export const laterWork: CrossCheck = {
  name: 'later-work',
  symptomIn(cell) {
    const said = [ofService(cell), ofBackground(cell), ofDataFiles(cell)].flatMap((one) => one ?? []);
    if (said.length === 0) return null;
    return {
      text: said.map(({ text }) => text).join('; '),
      next: `Latency and rate leave that work out. Compare CPU a request, and ${cell.inWholeSlices ? 'set load.slice' : 'measure with turn: off and a slice'} so long that the work falls into it.`,
      weight: Math.min(75, 55 + 50 * Math.max(...said.map(({ share }) => share))),
    };
  },
};

interface Later {
  /** Share of its own work; 0 for bytes. */
  readonly share: number;
  readonly text: string;
}

function ofService(cell: DiagnosedCell): Later | null {
  const [own, control] = [laterShare(cell), cell.control && laterShare(cell.control)];
  if (own === null || !worksLater(cell) || !isMuchMore(own, control, LEAST_SHARE)) return null;
  return {
    share: own,
    text: `${formatShare(own)} as much CPU between its turns as in them, beyond what it used alone${besides(control)}`,
  };
}

function ofBackground(cell: DiagnosedCell): Later | null {
  const [own, control] = [backgroundShare(cell), cell.control && backgroundShare(cell.control)];
  if (own === null || !isMuchMore(own, control, LEAST_BACKGROUND_SHARE)) return null;
  const { count, requests } = cell.sample.work.backgroundCpuMs ?? { count: 0, requests: 1 };
  const ms = short(count / requests);
  return {
    share: own,
    text: `its background processes of Postgres used ${formatShare(own)} of what its sessions did, ${ms} ms of CPU a request${besides(control)}`,
  };
}

/** Bytes for data files stay in memory at first: the disk gets them seconds later, whoever's turn it is. */
function ofDataFiles(cell: DiagnosedCell): Later | null {
  const [own, control] = [writtenMbPerS(cell), cell.control && writtenMbPerS(cell.control)];
  if (own === null || !isMuchMore(own, control, LEAST_MB_PER_S)) return null;
  const { count, requests } = cell.sample.work.dataBytes ?? { count: 0, requests: 1 };
  const than = control === null ? '' : ` (control ${short(control)})`;
  return {
    share: 0,
    text: `its Postgres wrote ${short(own)} MB a second to data files${than}, ${short(count / requests / 1000)} kB a request; the disk gets it later, also in the turns of others`,
  };
}

function besides(control: number | null): string {
  return control === null ? '' : ` (control ${formatShare(control)})`;
}

function isMuchMore(own: number, control: number | null, least: number): boolean {
  return own >= least && (control === null || (own >= LEAST_RATIO * control && own - control >= least));
}

/** CPU of service and sessions between turns, beyond what they use at rest, over the CPU in turns. */
function laterShare({ sample, idle }: DiagnosedCell): number | null {
  const work = laterIn(sample, idle);
  return work === null || work.ownMs === 0 ? null : work.laterMs / work.ownMs;
}

/** True where each arm does enough of it to matter over its rounds: also without what may have been one event in one of them. */
function worksLater({ arms, idle }: DiagnosedCell): boolean {
  return arms.every((rounds) => {
    const work = [...rounds.values()].flatMap((sample) => laterIn(sample, idle) ?? []);
    const most = Math.max(0, ...work.map(({ laterMs }) => laterMs));
    const laterMs = sum(work.map((one) => one.laterMs)) - Math.min(most, MOST_OF_ONE_EVENT_MS);
    const [ownMs, turnsMs] = [sum(work.map((one) => one.ownMs)), sum(work.map((one) => one.turnsMs))];
    return isMuchLater(laterMs, { ownMs, turnsMs });
  });
}

interface LaterCpu {
  readonly laterMs: number;
  readonly ownMs: number;
  /** Length of the turns. */
  readonly turnsMs: number;
}

/** Null where it cannot be seen, or no arm was left alone. */
function laterIn({ work, windowMs }: CellSample, idle: IdleWork): LaterCpu | null {
  const { idleCpuMs, serviceCpuMs, postgresCpuMs } = work;
  if (idleCpuMs === undefined || idleCpuMs.wallMs === null || idle.cpuKnownMs === 0) return null;
  return {
    laterMs: laterCpuMs(idleCpuMs.count, idleCpuMs.wallMs, idle.restingCpuMs / idle.cpuKnownMs),
    ownMs: (serviceCpuMs?.count ?? 0) + (postgresCpuMs?.count ?? 0),
    turnsMs: serviceCpuMs?.wallMs ?? windowMs,
  };
}

function backgroundShare({ sample: { work } }: DiagnosedCell): number | null {
  const { backgroundCpuMs, postgresCpuMs } = work;
  if (backgroundCpuMs === undefined || postgresCpuMs === undefined || postgresCpuMs.count === 0) return null;
  return backgroundCpuMs.count / postgresCpuMs.count;
}

/** Over all the time of its passes, in which others have turns as well. Null where its server is not its own. */
function writtenMbPerS({ sample }: DiagnosedCell): number | null {
  const { dataBytes } = sample.work;
  if (dataBytes === undefined || dataBytes.wallMs === null || dataBytes.wallMs === 0) return null;
  return dataBytes.count / dataBytes.wallMs / 1000;
}
