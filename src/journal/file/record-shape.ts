import { wholeSlicesReasons } from '../pass-records.ts';
import { housekeepingWork } from '../postgres/housekeeping.ts';
import { databaseColumns, type JournalRecord, type RunRecord } from '../records.ts';
import { levelsShape } from './capacity-shape.ts';
import { whyNoHead, whyNoRound, whyNoSlice } from './contradictions.ts';
import { provenanceShape as provenance } from './provenance-shape.ts';
import { distance, level, pooler, scenario } from './scenario-shape.ts';
import { amount, byName, count, either, fields, flag, list, number, oneOf, orNull, type Shape, text } from './shape.ts';
import { machineShape, mergedShape, shardShape } from './shard-shape.ts';

const known = orNull(number);
const texts = list(text);
const amounts = list(amount);
const textByName = byName(text);
const countByName = byName(count);
const percentiles = { p50Us: amount, p95Us: amount, p99Us: amount };
const latency = fields({ count, meanUs: amount, ...percentiles, maxUs: amount, histogram: text });
const outcomes = fields({ statuses: countByName, errors: count, timeouts: count, 'unsent?': count });
const network = { tcpSegments: known, tcpRetransmits: known, listenOverflows: known };
const conditions = fields({
  stealShare: known,
  foreignCpuShare: known,
  memoryPressureShare: known,
  ioPressureShare: known,
  ...network,
  checkpoints: known,
  autovacuums: known,
  'stealMaxShare?': known,
});
const background = fields({
  arms: count,
  cpuMs: known,
  sharedCpuMs: known,
  dataBytes: known,
  laterWalBytes: known,
});
const work = {
  serviceCpuMs: known,
  postgresCpuMs: known,
  idleCpuMs: known,
  idleMs: amount,
  walBytes: known,
  'linkCpuMs?': known,
  'background?': background,
};
const delta = fields({
  ...Object.fromEntries(databaseColumns.map((column) => [column, number])),
  'temp_bytes?': number,
});
const bulk = fields({
  documents: count,
  loaded: count,
  repeats: count,
  failed: countByName,
  byResource: byName(fields({ documents: count, loaded: count })),
  totalMs: amount,
});
const course = { ok: list(count), meanUs: amounts };
const slice = fields({
  round: count,
  slice: count,
  'pass?': count,
  'group?': count,
  arm: text,
  variant: text,
  repeat: flag,
  load: level,
  startedAt: text,
  loadMs: amount,
  windowMs: amount,
  'busyMs?': amount,
  outcomes,
  'ok?': count,
  bytes: count,
  latency,
  'parts?': fields({ 'connect?': latency, 'processing?': latency, 'waiting?': latency }),
  byRequest: byName(fields({ outcomes, 'byTime?': amount, latency })),
  'serverTimes?': byName(byName(amount)),
  'course?': fields({ partMs: amount, ...course, p99Us: amounts, byRequest: byName(fields(course)) }),
  whole: outcomes,
  'wholeOk?': count,
  generator: fields({ eventLoopUtilisation: number, cpuMs: number }),
  'connections?': fields({ opened: count, reopened: count, closingAnswers: count }),
  'turns?': fields({ turnMs: amount, ok: list(count), okByTime: amounts, 'busyMs?': amounts, gapMaxMs: amount }),
  'work?': fields({ ...work, ...network }),
  'housekeeping?': fields(Object.fromEntries(housekeepingWork.map((work) => [work, count]))),
  'conditions?': conditions,
  'voided?': texts,
  'bulk?': bulk,
  'sendLag?': latency,
  'bounded?': fields({ wanted: count, durationMs: known }),
});
const trips = fields({ trips: count, p50Us: amount, p99Us: amount });
const warmup = { round: count, arm: text, load: level, durationMs: amount, outcomes: countByName, 'turns?': amounts };
const secrets = { 'secrets?': fields({ key: orNull(text), digests: textByName }) };

/** The fields that a record needs to be read; others are allowed. */
const shapes: Readonly<Record<JournalRecord['type'], Shape>> = {
  run: fields({
    version: count,
    id: text,
    startedAt: text,
    seed: number,
    quick: flag,
    scenario,
    provenance,
    ...secrets,
    'shard?': shardShape,
    'merged?': mergedShape,
    withoutCounters: orNull(text),
    setUpMs: amount,
  }),
  resume: fields({ at: text, provenance, ...secrets, 'machine?': machineShape }),
  arm: fields({
    round: count,
    arm: text,
    variant: text,
    repeat: flag,
    copyMs: amount,
    startMs: amount,
    'treatment?': list(fields({ kind: text, name: text, found: text })),
  }),
  link: fields({
    round: count,
    arm: text,
    variant: text,
    'distance?': fields({ asked: distance, 'by?': oneOf('netem'), direct: trips, distant: trips }),
    'pooler?': fields({ version: text, asked: pooler }),
  }),
  uncounted: fields({
    round: count,
    arm: text,
    load: level,
    purpose: oneOf('warm-up', 'trial', 'repeated pass'),
    durationMs: amount,
    outcomes,
    ok: count,
  }),
  killed: fields({ round: count, arm: text, variant: text, afterMs: amount, 'processes?': texts }),
  warmup: fields({ ...warmup, 'turnsMs?': amounts, 'wanted?': count, 'perSecond?': amounts, 'steady?': flag }),
  pass: fields({
    round: count,
    pass: count,
    load: level,
    'group?': count,
    turnMs: amount,
    turnsPerArm: count,
    'leadMs?': amount,
    arms: texts,
    order: list(count),
    durationMs: amount,
    'wholeSlices?': oneOf(...wholeSlicesReasons),
    'repeated?': flag,
    conditions,
  }),
  idle: fields({
    round: count,
    arm: text,
    durationMs: amount,
    delta: orNull(delta),
    cpuMs: known,
    'restingCpuMs?': amount,
    'backgroundCpuMs?': amount,
  }),
  slice,
  counters: fields({
    round: count,
    slice: count,
    arm: text,
    complete: text,
    loadMs: amount,
    'whole?': outcomes,
    delta,
  }),
  'bulk-check': fields({
    round: count,
    arm: text,
    check: fields({ missing: count, unexpected: count, doubled: count, dangling: count }),
  }),
  indexes: fields({
    round: count,
    arm: text,
    indexes: list(fields({ table: text, name: text, bytes: number, scans: number })),
  }),
  probe: fields({
    round: count,
    slice: count,
    arm: text,
    probe: text,
    values: byName(number),
    'rows?': list(byName(either(text, orNull(number)))),
  }),
  probes: fields({ present: texts, absent: list(fields({ name: text, absent: text })) }),
  round: fields({
    round: count,
    'machine?': count,
    startedAt: text,
    durationMs: amount,
    phases: byName(number),
    'onceMs?': number,
  }),
  lengths: fields({
    round: count,
    warmups: list(fields({ 'workload?': text, requests: orNull(amount), mostMs: amount })),
    besideMs: number,
    levels: list(
      fields({
        load: level,
        sliceMs: amount,
        withinPerS: known,
        between: number,
        'leastTurnMs?': amount,
        'longestMs?': amount,
      }),
    ),
    'found?': fields({ leastTurnMs: amount, longestMs: amount }),
  }),
  left: fields({
    round: count,
    cells: list(fields({ variant: text, load: level, after: count, worseThan: text })),
  }),
  levels: levelsShape(level),
  unique: fields({ below: count }),
  end: fields({ at: text, reason: oneOf('verdicts', 'budget', 'rounds', 'quick') }),
};

/** Why a value is no record of the run with that head; null where it is one. A run's first line has no head before it. */
export function whyNoRecord(value: unknown, head: RunRecord | null): string | null {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (typeof type !== 'string' || !Object.hasOwn(shapes, type)) return 'type: one of a record';
  const why = shapes[type as JournalRecord['type']](value);
  if (why !== null) return why;
  const record = value as JournalRecord;
  if (record.type === 'run') return whyNoHead(record);
  if (record.type === 'round' && head !== null) return whyNoRound(record, head);
  return record.type === 'slice' && head !== null ? whyNoSlice(record, head) : null;
}
