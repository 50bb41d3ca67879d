import { MASK } from '../../base/secrets.ts';
import { wholeSlicesReasons } from '../pass-records.ts';
import { databaseColumns, type JournalRecord, type RunRecord } from '../records.ts';
import { templates } from '../scenario-record.ts';
import { capacityShape, levelsShape } from './capacity-shape.ts';
import { whyNoHead, whyNoSlice } from './contradictions.ts';
import { provenanceShape as provenance } from './provenance-shape.ts';
import {
  amount,
  byKind,
  byName,
  count,
  either,
  fields,
  flag,
  list,
  number,
  oneOf,
  orNull,
  type Shape,
  text,
  url,
} from './shape.ts';

/** More variants or load levels than these make no table that anybody reads. */
const MOST_VARIANTS = 1000;
const MOST_LEVELS = 100;

const known = orNull(number);
const texts = list(text);
const amounts = list(amount);
const textByName = byName(text);
const countByName = byName(count);
/** A URL whose secret is masked as `***` may be no URL any more. */
const maskedUrl: Shape = (value) => (typeof value === 'string' && value.includes(MASK) ? null : url(value));

const content = { 'workload?': text };
// That of the last says what is wrong with one of neither.
const level = either(
  fields({ rate: amount, ...content }),
  fields({ users: count, ...content }),
  fields({ connections: count, 'bulk?': oneOf(true), ...content }),
);
const release = { 'version?': text, 'image?': text, 'stack?': text };
const treatment = fields({
  settings: textByName,
  dropIndex: texts,
  createIndex: texts,
  hideIndex: texts,
  sql: list(fields({ apply: text, 'undo?': text })),
  'postgres?': fields(release),
});
const variant = fields({
  name: text,
  factors: byName(either(text, number, flag)),
  env: textByName,
  'command?': text,
  'cwd?': text,
  'url?': maskedUrl,
  'treatment?': treatment,
});
const metrics = { 'metrics?': fields({ path: text, include: texts }) };
const token = fields({ kind: oneOf('json', 'cookie'), name: text });
const login = { 'login?': fields({ method: text, path: text, headers: textByName, from: token }) };
const command = {
  command: text,
  cwd: text,
  env: textByName,
  ready: text,
  readyTimeoutMs: amount,
  stopTimeoutMs: amount,
};
const target = byKind({
  service: fields({ service: text, env: textByName, ...metrics }),
  command: fields({ ...command, portVariable: text, databaseUrlVariable: text, ...metrics, ...login }),
  url: fields({ url: maskedUrl, ...metrics, ...login }),
});
const generated = {
  template: fields({ template: oneOf(...templates), documents: count, seed: number }),
  edfi: fields({ folder: text }),
};
const dataset = byKind({
  ...generated,
  schema: fields({}),
  sql: fields({ files: texts }),
  command: fields({ command: text, cwd: text }),
  none: fields({}),
});
const request = { name: text, method: text, path: text, headers: textByName, weight: amount, 'expect?': list(count) };
const workload = byKind({
  'built-in': fields({ workload: text }),
  requests: fields({ requests: list(fields(request)) }),
  module: fields({ module: text }),
});
const bulkSpec = { dataset: byKind(generated), connections: count, inFlight: count, retries: count, backoffMs: amount };
const load = fields({
  levels: list(level, 0, MOST_LEVELS),
  'capacity?': capacityShape,
  workload,
  'openLoop?': fields({ arrivals: oneOf('constant', 'poisson'), inFlight: count }),
  'bounded?': fields({ count, limitMs: amount }),
  'bulk?': fields({ ...bulkSpec, update: flag }),
  sliceMs: amount,
  'autoSlice?': flag,
  dropMs: amount,
  'turn?': either(oneOf('auto', 'off'), amount),
  warmupMs: amount,
  'warmupRequests?': count,
  'slicesPerRound?': count,
  timeoutMs: amount,
  'maxFailedPercent?': amount,
  'transactionsPerRequest?': amount,
});
const scenario = fields({
  name: text,
  title: text,
  file: text,
  target,
  dataset,
  variants: list(variant, 1, MOST_VARIANTS),
  control: text,
  load,
  rounds: fields({ min: count, max: count, budgetMs: amount, 'restart?': text }),
  marginPercent: amount,
  'probesOff?': either(oneOf('all'), list(text)),
  stack: fields({
    postgres: fields({ settings: textByName, ...release }),
    'opensearch?': either(flag, fields({})),
  }),
});
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
const work = { serviceCpuMs: known, postgresCpuMs: known, idleCpuMs: known, idleMs: amount, walBytes: known };
const delta = fields(Object.fromEntries(databaseColumns.map((column) => [column, number])));
const bulk = fields({
  documents: count,
  loaded: count,
  repeats: count,
  failed: countByName,
  byResource: byName(fields({ documents: count, loaded: count })),
  totalMs: amount,
});
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
  byRequest: byName(fields({ outcomes, latency })),
  whole: outcomes,
  'wholeOk?': count,
  generator: fields({ eventLoopUtilisation: number, cpuMs: number }),
  'connections?': fields({ opened: count, reopened: count, closingAnswers: count }),
  'turns?': fields({ turnMs: amount, ok: list(count), 'okByTime?': amounts, gapMaxMs: amount }),
  'work?': fields({ ...work, ...network }),
  'conditions?': conditions,
  'voided?': texts,
  'bulk?': bulk,
  'sendLag?': latency,
  'bounded?': fields({ wanted: count, durationMs: known }),
});
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
    withoutCounters: orNull(text),
    setUpMs: amount,
  }),
  resume: fields({ at: text, provenance, ...secrets }),
  arm: fields({
    round: count,
    arm: text,
    variant: text,
    repeat: flag,
    copyMs: amount,
    startMs: amount,
    'treatment?': list(fields({ kind: text, name: text, found: text })),
    'ownServer?': flag,
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
  killed: fields({ round: count, arm: text, variant: text, afterMs: amount }),
  warmup: fields({ ...warmup, 'turnsMs?': amounts, 'wanted?': count, 'perSecond?': amounts, 'steady?': flag }),
  pass: fields({
    round: count,
    pass: count,
    load: level,
    'group?': count,
    turnMs: amount,
    turnsPerArm: count,
    arms: texts,
    order: list(count),
    durationMs: amount,
    'wholeSlices?': oneOf(...wholeSlicesReasons),
    'repeated?': flag,
    conditions,
  }),
  idle: fields({ round: count, arm: text, durationMs: amount, delta: orNull(delta), cpuMs: known }),
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
  round: fields({ round: count, startedAt: text, durationMs: amount, phases: byName(number), 'onceMs?': number }),
  lengths: fields({
    round: count,
    warmup: fields({ requests: orNull(amount), mostMs: amount }),
    besideMs: number,
    levels: list(fields({ load: level, sliceMs: amount, withinPerS: known, between: number })),
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
  return record.type === 'slice' && head !== null ? whyNoSlice(record, head) : null;
}
