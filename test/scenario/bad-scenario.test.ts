import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadScenario } from '../../src/scenario/load-scenario.ts';
import { mistakes, rest } from './scenario-text.ts';

describe('a bad scenario is answered with place, expectation and the nearest key', () => {
  it.each([
    [
      'an unknown key',
      `title: x\ntarget: { servce: documents }\n${rest}`,
      /^2:11: unknown key "servce" in target: .*did you mean "service"/,
    ],
    [
      'a deep unknown key',
      `title: x\ntarget: { service: documents }\n${rest}rounds:\n  budgt: 5m\n`,
      /^7:3: unknown key "budgt" in rounds: .*"budget"/,
    ],
    [
      'a missing key',
      'title: x\ntarget: { service: documents }\nvariants: { A: {} }\ncontrol: A\n',
      /^1:1: load is missing/,
    ],
    [
      'neither on nor off',
      `title: x\ntarget: { service: documents }\n${rest}stack: { opensearch: docker }\n`,
      /^6:22: stack\.opensearch: expected on, off, or \{ version/,
    ],
    [
      'a CPU set that is none',
      `title: x\ntarget: { service: documents }\n${rest}stack: { postgres: { cpuset: all } }\n`,
      /^6:30: stack\.postgres\.cpuset: expected CPUs such as "0,2" or "0-3"/,
    ],
    [
      'several distances, which are variants',
      `title: x\ntarget: { service: documents }\n${rest}stack: { distance: { rtt: [0, 1ms] } }\n`,
      /^6:27: stack\.distance\.rtt: .*; to compare several: sweep: \{ distance: \{ rtt: \[0, 1ms\] \} \}$/,
    ],
    [
      'a version that is none',
      `title: x\ntarget: { service: documents }\n${rest}stack: { postgres: { version: newest } }\n`,
      /^6:31: stack\.postgres\.version: expected a version such as 17 or 17\.2/,
    ],
    [
      'a version that no Postgres has had since 10',
      `title: x\ntarget: { service: documents }\n${rest}stack: { postgres: { version: 17.2.1 } }\n`,
      /^6:31: stack\.postgres\.version: expected a version such as 17 or 17\.2/,
    ],
    [
      'a wrong type',
      `title: 5\ntarget: { service: documents }\n${rest}`,
      /^1:8: title: expected a text such as Which pool size\?, found 5: "5" in quotes is a text$/,
    ],
    [
      'a bad duration',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 1, slice: 5x')}`,
      /^5:32: load.slice: expected a duration/,
    ],
    [
      'slices, which are no more',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 1, slices: 3')}`,
      /^5:25: load\.slices is no more: .* for slices: 3 of 2s write slice: 6s$/,
    ],
    [
      'turns that are no turns',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 1, turn: often')}`,
      /^5:31: load\.turn: expected auto, off or a duration such as 500ms/,
    ],
    [
      'a turn that is longer than half a slice',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 1, slice: 2s, turn: 1500ms')}`,
      /^5:\d+: load\.turn: expected at most half of load\.slice \(1 s\), or off for whole slices/,
    ],
    [
      'a turn that is next to nothing',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 1, turn: 1ms')}`,
      /^5:\d+: load\.turn: expected at least 10 ms/,
    ],
    [
      'an unknown workload',
      `title: x\ntarget: { service: documents }\n${rest.replace('get-schools', 'get-school')}`,
      /did you mean get-schools/,
    ],
    [
      'too many connections',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 0')}`,
      /^5:22: load.connections: /,
    ],
    [
      'a text where a map is wanted',
      `title: x\ntarget: { service: documents }\n${rest}dataset: schema.sql\n`,
      /^6:10: dataset: expected a map such as \{ sql: schema\.sql \}, found a text$/,
    ],
    [
      'a map where a list is wanted',
      `title: x\ntarget: { service: documents }\n${rest.replace('workload: get-schools', 'requests: { path: / }')}`,
      /^5:35: load\.requests: expected a list such as \[\{ path: \/items \}\], found a map$/,
    ],
    [
      'a map where a file is wanted',
      `title: x\ntarget: { service: documents }\n${rest}dataset: { sql: { file: a.sql } }\n`,
      /^6:17: dataset\.sql: expected a file or a list of files, such as schema\.sql$/,
    ],
    [
      'nothing where a map is wanted',
      `title: x\ntarget: { service: documents }\n${rest}dataset:\n`,
      /dataset: expected a map such as \{ sql: schema\.sql \}, found nothing$/,
    ],
    [
      'an environment variable beside env',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { LISTENERS: 1 }')}`,
      /^4:25: unknown key "LISTENERS" in variants\.B: write an environment variable as env: \{ LISTENERS: 1 \}$/,
    ],
    [
      'an environment variable beside env of a factor',
      'title: x\ntarget: { service: documents }\nsweep: { pool: { POOL_MAX: [1, 2] } }\ncontrol: { pool: 1 }\nload: { connections: 1, workload: get-schools }\n',
      /^3:18: unknown key "POOL_MAX" in sweep\.pool: write an environment variable as env: POOL_MAX, and its values under levels$/,
    ],
    [
      'a budget without its unit',
      `title: x\ntarget: { service: documents }\n${rest}rounds: { budget: 5 }\n`,
      /^6:19: rounds\.budget: expected a duration with its unit: 5s or 5m$/,
    ],
    [
      'a turn without its unit',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 1, turn: 500')}`,
      /^5:31: load\.turn: expected a duration with its unit: 500s or 500m$/,
    ],
    [
      'a part of the name of a metric',
      `title: x\ntarget: { service: documents }\n${rest}judge: cpu\n`,
      /^6:8: judge: expected mean_ms, .*\(did you mean service_cpu\?\)$/,
    ],
    [
      'a place of a token that is no path',
      `title: x\ntarget: { command: node a.mjs, login: { path: /login, token: $..token } }\n${rest.replace('workload: get-schools', 'requests: [{ path: / }]')}`,
      /^2:\d+: target\.login\.token: expected a path such as \$\.data\.token, not "\$\.\.token"$/,
    ],
    ['no target', `title: x\ntarget: {}\n${rest}`, /^2:9: target: expected one of service, command, services, url/],
    [
      'two targets',
      `title: x\ntarget: { service: documents, url: 'http://a' }\n${rest}`,
      /^2:31: target: .*not both service and url/,
    ],
    [
      'a control that is no variant',
      `title: x\ntarget: { service: documents }\n${rest.replace('control: A', 'control: AA')}`,
      /^3:10: control "AA" is not a variant.*did you mean "A"/,
    ],
    [
      'a control level that is none',
      'title: x\ntarget: { service: documents }\nsweep: { pool: { env: P, levels: [1, 2] } }\ncontrol: { pool: 3 }\nload: { connections: 1, workload: get-schools }\n',
      /^4:18: control is not a variant: pool has no level 3: expected one of 1, 2/,
    ],
    [
      'a control factor that is none',
      'title: x\ntarget: { service: documents }\nsweep: { pool: { env: P, levels: [1, 2] } }\ncontrol: { pol: 1 }\nload: { connections: 1, workload: get-schools }\n',
      /^4:12: control: no factor "pol".*did you mean "pool"/,
    ],
    [
      'grid and names',
      `title: x\ntarget: { service: documents }\n${rest}sweep: { pool: { env: P, levels: [1] } }\n`,
      /^6:1: expected either sweep .* or variants/,
    ],
    [
      'a level twice',
      'title: x\ntarget: { service: documents }\nsweep: { pool: { env: P, levels: [1, 1] } }\ncontrol: { pool: 1 }\nload: { connections: 1, workload: get-schools }\n',
      /^3:38: level 1 stands twice/,
    ],
    [
      'an override that cannot be',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { cwd: . }')}`,
      /^4:25: variants.B.cwd cannot vary with a service target/,
    ],
    [
      'a folder that is not there',
      `title: x\ntarget: { service: documents }\ndataset: { edfi: nope }\n${rest}`,
      /^3:18: dataset.edfi: there is no folder .*nope/,
    ],
    [
      'a folder of a variant that is not there',
      `title: x\ntarget: { command: node a.mjs }\n${rest.replace('B: {}', 'B: { cwd: ../nope }').replace('workload: get-schools', 'requests: [{ path: / }]')}`,
      /^4:\d+: variants\.B\.cwd: there is no folder .*nope/,
    ],
    [
      'a template',
      `title: x\ntarget: { service: documents }\ndataset: { template: grandbend }\n${rest}`,
      /^3:22: .*grand-bend/,
    ],
    [
      'a placeholder',
      `title: x\ntarget: { service: documents }\n${rest.replace('workload: get-schools', "requests: [{ path: '/${uniqe}' }]")}`,
      /^5:44: unknown placeholder .*did you mean \$\{unique\}/,
    ],
    [
      'a body on GET',
      `title: x\ntarget: { service: documents }\n${rest.replace('workload: get-schools', 'requests: [{ path: /, body: {} }]')}`,
      /a GET request has no body/,
    ],
    [
      'min above max',
      `title: x\ntarget: { service: documents }\n${rest}rounds: { min: 9, max: 5 }\n`,
      /^6:16: rounds.min 9 is more than rounds.max 5/,
    ],
    [
      'min beyond the last look',
      `title: x\ntarget: { service: documents }\n${rest}rounds: { min: 50, max: 60 }\n`,
      /^6:16: rounds.min 50 is more than 40, .* set rounds.max to 50, too, for exactly so many/,
    ],
    [
      'a bulk load without data',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1, workload: get-schools', 'bulk: { connections: 5 }')}`,
      /^5:15: load.bulk: expected one of template, edfi, module, file/,
    ],
    [
      'a bulk load beside a workload',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1,', 'bulk: { template: grand-bend },')}`,
      /^5:41: load.workload does not go with load.bulk: expected reads, requests or module/,
    ],
    [
      'the path of no file',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1, workload: get-schools', 'bulk: { template: grand-bend, path: /x }')}`,
      /^5:39: load.bulk.path goes with load.bulk.file/,
    ],
    [
      'options of no module of a bulk load',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1, workload: get-schools', 'bulk: { template: grand-bend, options: { a: 1 } }')}`,
      /^5:39: load.bulk.options goes with load.bulk.module/,
    ],
    [
      'options of no module',
      `title: x\ntarget: { service: documents }\n${rest.replace('workload: get-schools', 'options: { a: 1 }, workload: get-schools')}`,
      /^5:25: load.options goes with load.module/,
    ],
    [
      'a file of requests that is not there',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1, workload: get-schools', 'bulk: { file: nowhere.ndjson }')}`,
      /^5:23: load.bulk.file: there is no file .*nowhere.ndjson/,
    ],
    [
      'reads of both kinds',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1, workload: get-schools', 'bulk: { template: grand-bend }, reads: [get-schools], requests: [{ path: / }]')}`,
      /load: expected one of reads, requests, not both/,
    ],
    [
      'ids of a bulk load that there is none of',
      `title: x\ntarget: { service: documents }\n${rest.replace('workload: get-schools', "requests: [{ path: '/x/${loaded}' }]")}`,
      /\$\{loaded\} goes with load.bulk/,
    ],
    [
      'reads without a bulk load',
      `title: x\ntarget: { service: documents }\n${rest.replace('workload: get-schools', 'reads: [get-documents]')}`,
      /^5:25: load.reads follow a load.bulk/,
    ],
    [
      'neither connections nor a bulk load',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1, ', '')}`,
      /^5:7: load.connections is missing/,
    ],
    [
      'two sizes of a load',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 1, rate: 5')}`,
      /^5:25: load: expected one of connections, rate, users, not both/,
    ],
    [
      'a rate twice',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'rate: [5, 5]')}`,
      /^5:19: load level 5 stands twice/,
    ],
    [
      'arrivals without a rate',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 1, arrivals: poisson')}`,
      /^5:25: load.arrivals goes with load.rate/,
    ],
    [
      'a rate in turns',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'rate: 5, turn: 500ms')}`,
      /^5:18: load.turn: load.rate has whole slices; expected off/,
    ],
    [
      'a limit of nothing',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 1, limit: 5s')}`,
      /^5:25: load.limit goes with load.count/,
    ],
    [
      'a slice that its requests end',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: 1, count: 5, slice: 5s')}`,
      /^5:35: load.slice does not go with load.count/,
    ],
    [
      'a rate that is none',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'rate: 0')}`,
      /^5:15: load.rate: expected more than 0$/,
    ],
    [
      'a bulk load of a service that somebody else started',
      "title: x\ntarget: { url: 'http://127.0.0.1:1' }\nvariants: { A: { url: 'http://127.0.0.1:2' } }\ncontrol: A\nload: { bulk: { template: grand-bend } }\n",
      /^5:9: load.bulk: a url target keeps what was loaded/,
    ],
    [
      'an unknown setting',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { settings: { sinchronous_commit: off } }')}`,
      /^4:37: unknown setting "sinchronous_commit".*did you mean "synchronous_commit"/,
    ],
    [
      'a setting that cannot vary',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { settings: { port: 1 } }')}`,
      /^4:37: the setting port cannot vary/,
    ],
    [
      'a setting that the document service sets itself',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { settings: { JIT: on } }')}`,
      /^4:37: the setting JIT cannot vary with the document service/,
    ],
    [
      'an unknown setting of a factor',
      'title: x\ntarget: { service: documents }\nsweep: { m: { setting: wrok_mem, levels: [1, 2] } }\ncontrol: { m: 1 }\nload: { connections: 1, workload: get-schools }\n',
      /^3:24: unknown setting "wrok_mem".*did you mean "work_mem"/,
    ],
    [
      'a factor that sets two things',
      'title: x\ntarget: { service: documents }\nsweep: { m: { env: A, setting: work_mem, levels: [1, 2] } }\ncontrol: { m: 1 }\nload: { connections: 1, workload: get-schools }\n',
      /^3:23: sweep.m: expected one of env, setting, live, .*not both env and setting/,
    ],
    [
      'a factor that sets nothing',
      'title: x\ntarget: { service: documents }\nsweep: { m: { levels: [1, 2] } }\ncontrol: { m: 1 }\nload: { connections: 1, workload: get-schools }\n',
      /^3:13: sweep.m: expected one of env, setting/,
    ],
    [
      'an index dropped and hidden',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { dropIndex: [ix_a, ix_b], hideIndex: ix_b }')}`,
      /^4:50: variants.B: ix_b cannot be both dropped and hidden/,
    ],
    [
      'a statement that is no CREATE INDEX',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { createIndex: [DROP TABLE a] }')}`,
      /^4:39: variants.B.createIndex: expected a statement such as CREATE INDEX/,
    ],
    [
      'a treatment misspelt',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { dropIndx: a }')}`,
      /^4:25: unknown key "dropIndx" in variants.B: .*did you mean "dropIndex"/,
    ],
    [
      'a treatment of the wrong type',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { sql: 5 }')}`,
      /^4:30: variants.B.sql: expected SQL, \{ apply, undo \}, or a list/,
    ],
    [
      'a key misspelt in a value that may be a text too',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { sql: { aply: a } }')}`,
      /^4:32: unknown key "aply" in variants.B.sql: expected apply, undo \(did you mean "apply"\?\)/,
    ],
    [
      'an element of a list',
      `title: x\ntarget: { service: documents }\n${rest.replace('connections: 1', 'connections: [1, 0]')}`,
      /^5:26: load.connections.1: expected at least 1$/,
    ],
    [
      'a name in a list',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { dropIndex: [a, 5] }')}`,
      /^4:40: variants.B.dropIndex.1: expected a text such as items_name_idx, found 5/,
    ],
    [
      'a statement in a list of either kind',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { sql: [a, 5] }')}`,
      /^4:34: variants.B.sql.1: expected SQL, \{ apply, undo \}, or a list/,
    ],
    [
      'a file in a list',
      `title: x\ntarget: { service: documents }\ndataset: { sql: [a, 5] }\n${rest}`,
      /^3:21: dataset.sql.1: expected a text such as schema.sql, found 5/,
    ],
    [
      'a value in a variant whose name is a number',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', '10: { env: { P: [1] } }')}`,
      /^4:36: variants.10.env.P: expected a text/,
    ],
    [
      'no control among variants',
      `title: x\ntarget: { service: documents }\n${rest.replace('control: A\n', '')}`,
      /^1:1: control is missing: expected the name of a variant: one of A, B$/,
    ],
    [
      'an empty control',
      `title: x\ntarget: { service: documents }\n${rest.replace('control: A', 'control:')}`,
      /^3:9: control is missing: expected the name of a variant: one of A, B$/,
    ],
    [
      'no control of a grid',
      'title: x\ntarget: { service: documents }\nsweep: { pool: { env: P, levels: [1, 2] }, lock: { env: L, levels: [a] } }\nload: { connections: 1, workload: get-schools }\n',
      /^1:1: control is missing: expected a level of each factor: pool, lock$/,
    ],
    [
      'an unknown setting of the stack',
      `title: x\ntarget: { service: documents }\n${rest}stack: { postgres: { settings: { wrok_mem: 1 } } }\n`,
      /^6:34: unknown setting "wrok_mem": expected a setting of Postgres 13 to 18 \(did you mean "work_mem"\?\)$/,
    ],
    [
      'a setting that the Postgres of the stack does not have yet',
      `title: x\ntarget: { service: documents }\n${rest}stack: { postgres: { version: 17, settings: { io_method: sync } } }\n`,
      /^6:47: Postgres 17 has no setting "io_method": Postgres 18 and later have it$/,
    ],
    [
      "a setting that a variant's own Postgres has no more",
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { settings: { force_parallel_mode: on }, postgres: { version: 16.3 } }')}`,
      /^4:37: Postgres 16 has no setting "force_parallel_mode": Postgres 15 and earlier have it$/,
    ],
    [
      "a setting of the stack that a variant's own Postgres does not have",
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { postgres: { version: 15 } }')}stack: { postgres: { version: 17, settings: { summarize_wal: on } } }\n`,
      /^6:47: Postgres 15 has no setting "summarize_wal"/,
    ],
    [
      'a setting that would move the server',
      `title: x\ntarget: { service: documents }\n${rest}stack: { postgres: { settings: { port: 1 } } }\n`,
      /^6:34: the setting port cannot be set: give it as the port of the stack$/,
    ],
    [
      "a treatment of a database that is not the bench's",
      `title: x\ntarget: { url: 'http://127.0.0.1:1' }\n${rest.replace('B: {}', 'B: { dropIndex: a }').replace('workload: get-schools', 'requests: [{ path: / }]')}`,
      /^4:25: variants.B.dropIndex cannot vary with a url target, whose database is not the bench's: expected url/,
    ],
    [
      'search without OpenSearch',
      `title: x\ntarget: { service: documents, env: { SEARCH_MODE: bulk } }\n${rest}`,
      /^2:51: SEARCH_MODE bulk needs OpenSearch: expected off, or with it stack: \{ opensearch: on \}/,
    ],
    [
      'search of one variant without OpenSearch',
      `title: x\ntarget: { service: documents }\n${rest.replace('B: {}', 'B: { env: { SEARCH_MODE: async } }')}stack: { opensearch: off }\n`,
      /^4:45: SEARCH_MODE async needs OpenSearch/,
    ],
    [
      'levels of search without OpenSearch',
      'title: x\ntarget: { service: documents }\nsweep: { s: { env: SEARCH_MODE, levels: [off, bulk] } }\ncontrol: { s: off }\nload: { connections: 1, workload: get-schools }\n',
      /^3:47: SEARCH_MODE bulk needs OpenSearch/,
    ],
    [
      'queries from an index that nobody fills',
      `title: x\ntarget: { service: documents, env: { QUERY_FROM: opensearch } }\n${rest}stack: { opensearch: on }\n`,
      /^2:50: QUERY_FROM opensearch finds nothing where SEARCH_MODE is off: expected postgres, or a SEARCH_MODE/,
    ],
    ['no YAML', 'title: [', /^1:9: /],
    ['a key twice', `title: x\ntitle: y\n`, /^2:1: /],
    ['an empty file', '', /^1:1: target is missing/],
  ])('%s', (_, text, expected) => {
    const found = mistakes(text);
    expect(
      found.some((line) => expected.test(line)),
      found.join('\n'),
    ).toBe(true);
  });

  it.each([
    ['off', 'target: { service: documents, env: { SEARCH_MODE: off, QUERY_FROM: postgres } }\n'],
    ['on', 'target: { service: documents, env: { SEARCH_MODE: bulk } }\nstack: { opensearch: on }\n'],
    ['elsewhere', "target: { service: documents, env: { SEARCH_MODE: bulk, OPENSEARCH_URL: 'http://a:9200' } }\n"],
    ["of a service of one's own", 'target: { command: node x.js, env: { SEARCH_MODE: bulk } }\n'],
  ])('search that is %s is none', (_, target) => {
    const text = `title: x\n${target}${rest.replace('workload: get-schools', 'requests: [{ path: / }]')}`;
    expect(mistakes(text)).toEqual([]);
  });

  it('a mode of the target that every variant overrides is not asked for', () => {
    const own = '{ env: { SEARCH_MODE: off } }';
    const text = rest.replace('A: {}', `A: ${own}`).replace('B: {}', `B: ${own}`);
    expect(mistakes(`title: x\ntarget: { service: documents, env: { SEARCH_MODE: bulk } }\n${text}`)).toEqual([]);
  });

  it('reports all mistakes at once', () => {
    expect(mistakes(`titel: x\ntarget: { service: documents }\n${rest}margin: much\n`)).toHaveLength(2);
  });

  it.each([
    ['at once', 'title: x\ntarget:\n\tservice: documents\n\tenv:\n\t\tA: 1\ncontrol: [A\n', '3:1'],
    ['after spaces', 'title: x\ntarget:\n  service: documents\n \tenv: {}\nload: {}\n', '4:2'],
  ])('after a tab in the indentation, %s, nothing else is told', (_, text, place) => {
    expect(mistakes(text)).toEqual([`${place}: a tab cannot indent YAML: expected spaces`]);
  });

  it('a tab within a text is none of the indentation', () => {
    const text = 'title: x\ntarget:\n  command: |\n    a\n    \tb\n  env: { A: 1\n';
    expect(mistakes(text)).toEqual([expect.stringMatching(/^7:1: Flow map/)]);
  });

  it.each([
    ['an extension', '{ settings: { auto_explain.log_min_duration: 5 } }'],
    ['an image of somebody else', '{ image: other/postgres, settings: { its_own: 5 } }'],
    ['any version, where none is named', '{ settings: { io_method: sync, old_snapshot_threshold: 5 } }'],
  ])('a setting of %s is let through', (_, postgres) => {
    expect(mistakes(`title: x\ntarget: { service: documents }\n${rest}stack: { postgres: ${postgres} }\n`)).toEqual([]);
  });

  it.each([
    ['zeros', Buffer.from('title: x\0\n')],
    ['bytes that are no UTF-8', Buffer.from([0x74, 0xff, 0xfe, 0x0a])],
    ['UTF-16', Buffer.from('\ufefftitle: x\n', 'utf16le')],
  ])('a file with %s is not text', (_, bytes) => {
    const folder = mkdtempSync(join(tmpdir(), 'pgsweep-binary-'));
    const file = join(folder, 'mine.yaml');
    writeFileSync(file, bytes);
    expect(() => loadScenario(file)).toThrow(
      expect.objectContaining({ code: 'scenario', message: `${file} is not text` }),
    );
    rmSync(folder, { recursive: true });
  });
});
