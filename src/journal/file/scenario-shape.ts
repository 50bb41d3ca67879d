import { MASK } from '../../base/secrets.ts';
import { poolerModes } from '../link/pooler.ts';
import { judgeKeys } from '../run/judge-keys.ts';
import { measuredCosts, templates } from '../scenario-record.ts';
import { capacityShape } from './capacity-shape.ts';
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
  type Shape,
  text,
  url,
} from './shape.ts';

/** More variants or load levels than these make no table that anybody reads. */
const MOST_VARIANTS = 1000;
const MOST_LEVELS = 100;

const texts = list(text);
const textByName = byName(text);

/** A URL whose secret is masked as `***` may be no URL any more. */
const maskedUrl: Shape = (value) => (typeof value === 'string' && value.includes(MASK) ? null : url(value));

const content = { 'workload?': text };
/** A load level. That of the last says what is wrong with one of neither. */
export const level = either(
  fields({ rate: amount, 'of?': oneOf('iterations'), ...content }),
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
/** How far a service is from its database. */
export const distance = fields({ rttMs: amount, 'jitterMs?': amount, 'bandwidthMbit?': amount });
/** What pools the connections between them. */
export const pooler = fields({
  kind: oneOf('pgbouncer'),
  mode: oneOf(...poolerModes),
  size: count,
  'minSize?': count,
  'reserveSize?': count,
  'maxClientConn?': count,
  'maxPreparedStatements?': count,
  'queryWaitTimeoutMs?': amount,
  'ignoreStartupParameters?': texts,
  'connectQuery?': text,
  'image?': text,
  settings: textByName,
});
const variant = fields({
  name: text,
  factors: byName(either(text, number, flag)),
  env: textByName,
  'command?': text,
  'cwd?': text,
  'url?': maskedUrl,
  'database?': oneOf('none'),
  'reset?': text,
  'services?': byName(fields({ 'command?': text, 'cwd?': text, 'env?': textByName })),
  'treatment?': treatment,
  'distance?': distance,
  'pooler?': pooler,
  'instances?': count,
  'cost?': amount,
});
const metrics = { 'metrics?': fields({ path: text, include: texts }) };
const token = fields({ kind: oneOf('json', 'cookie'), name: text });
const login = { 'login?': fields({ method: text, path: text, headers: textByName, from: token }) };
const command = {
  command: text,
  cwd: text,
  env: textByName,
  readyTimeoutMs: amount,
  stopTimeoutMs: amount,
  portVariable: text,
  databaseUrlVariable: text,
};
const services = byName(fields({ ...command, 'ready?': text }));
const target = byKind({
  service: fields({ service: text, env: textByName, ...metrics }),
  command: fields({ ...command, ready: text, ...metrics, ...login }),
  services: fields({ services, underLoad: text, ready: text, env: textByName, ...metrics, ...login }),
  url: fields({ url: maskedUrl, ...metrics, ...login }),
});
const generated = {
  template: fields({ template: oneOf(...templates), documents: count, seed: number }),
  edfi: fields({ folder: text }),
};
const dataset = byKind({
  ...generated,
  schema: fields({}),
  sql: fields({ files: texts, 'singleTransaction?': oneOf(true) }),
  dump: fields({ dump: text }),
  command: fields({ command: text, cwd: text }),
  none: fields({}),
});
const expectBody = fields({ 'json?': byName(() => null), 'text?': text });
const step = {
  name: text,
  method: text,
  path: text,
  headers: textByName,
  'expect?': list(count),
  'expectBody?': expectBody,
};
const request = { ...step, weight: amount };
const ways = list(fields({ weight: amount, steps: list(fields(step)) }));
const data = { 'data?': fields({ file: text }) };
const workload = byKind({
  'built-in': fields({ workload: text }),
  requests: fields({ requests: list(fields(request)) }),
  module: fields({ module: text }),
  k6: fields({ script: text, exec: text, env: textByName, urlVariable: text, tokenVariable: text }),
  script: fields({
    parts: list(byKind({ step: fields({ step: fields(step) }), choice: fields({ ways }) })),
    'sessions?': oneOf('new'),
    ...data,
  }),
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
  'forMs?': amount,
  'leastSliceMs?': amount,
  'autoSlice?': flag,
  dropMs: amount,
  'turn?': either(oneOf('auto', 'off'), amount),
  warmupMs: amount,
  'warmupRequests?': count,
  'slicesPerRound?': count,
  'processes?': count,
  timeoutMs: amount,
  'maxFailedPercent?': amount,
  'transactionsPerRequest?': amount,
});
/** A resolved scenario, as far as it has to be what it should be to be judged. */
export const scenario = fields({
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
  'judge?': oneOf(...judgeKeys),
  'cost?': oneOf(...measuredCosts),
  'probesOff?': either(oneOf('all'), list(text)),
  stack: fields({
    postgres: fields({ settings: textByName, ...release, 'housekeeping?': oneOf(true) }),
    'opensearch?': either(flag, fields({})),
  }),
});
