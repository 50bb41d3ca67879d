import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readJournal } from '../../../src/journal/journal.ts';
import type { SliceRecord } from '../../../src/journal/records.ts';
import type { Summary } from '../../../src/judge/summary.ts';
import { armIndices } from '../../../src/measure/run/servers/arm-indices.ts';
import { cli, exitCodeOf } from '../../cli/cli.ts';
import { askNode, withOpenSearch } from '../../measure/stack/opensearch.ts';
import { withPostgres } from '../../measure/stack/postgres.ts';
import { needs } from '../../support/needs.ts';

const openSearch = await needs('opensearch');
const search = withOpenSearch(openSearch);
/** Indices that are named as the bench names those of its arms. */
const ofArms = 'pgsweep_*';

describe('the indices of arms', openSearch.orSkip, () => {
  const names = async (): Promise<string[]> =>
    (await askNode(search.node.url, 'GET', '/_cat/indices?format=json')).body.map(
      ({ index }: { index: string }) => index,
    );

  it('are deleted arm by arm', async () => {
    const { url } = search.node;
    const indices = armIndices({ url });
    for (const arm of ['pgsweep_r1_a1', 'pgsweep_r1_a10']) {
      for (const resource of ['school', 'session']) await askNode(url, 'PUT', `/${indices.prefixOf(arm)}${resource}`);
    }
    await indices.drop('pgsweep_r1_a1');
    expect((await names()).sort()).toEqual(['pgsweep_r1_a10-school', 'pgsweep_r1_a10-session']);
    await indices.drop('pgsweep_r1_a10');
    await indices.drop('pgsweep_r1_a10');
    expect(await names()).toEqual([]);
  });

  it('that cannot be deleted are an error of the stack', async () => {
    await expect(armIndices({ url: 'http://127.0.0.1:1' }).drop('x')).rejects.toMatchObject({
      code: 'stack',
      message: expect.stringContaining('cannot delete the indices x-*'),
    });
  });
});

describe('a sweep with search', openSearch.orSkip, () => {
  it('starts a node, indexes in each arm alone, and leaves nothing', async () => {
    const { folder, run, code, err } = await sweepSearch(['per-document', 'async']);
    expect(code, err).toBe(exitCodeOf(run));
    expect(err).toMatch(/OpenSearch .* is ready on port/);
    const journal = readJournal(join(run, 'journal.jsonl'));
    expect(journal.run.provenance).toMatchObject({
      openSearchVersion: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      openSearchRuntime: expect.stringMatching(/^Java \d+, heap 512 MB$/),
    });
    const slices = [...journal.records].filter((record): record is SliceRecord => record.type === 'slice');
    expect(slices).toHaveLength(3);
    expect(
      slices.flatMap(({ whole }) => Object.keys(whole.statuses).filter((status) => !/^20[01]$/.test(status))),
    ).toEqual([]);
    expect(readFileSync(join(run, 'report.md'), 'utf8')).toMatch(
      /OpenSearch +\| \d+\.\d+\.\d+ \(Java \d+, heap 512 MB\)/,
    );
    expect(found(run, 'search-waits')).toEqual(['search=per-document']);
    expect(found(run, 'search-failures')).toEqual([]);
    const log = readFileSync(join(run, 'logs', 'opensearch.log'), 'utf8');
    for (const arm of [0, 1, 2]) {
      expect(log).toContain(`[pgsweep_r1_a${arm}-school] creating index`);
      expect(log).toMatch(new RegExp(`\\[pgsweep_r1_a${arm}-school/[^\\]]*\\] deleting index`));
    }
    expect(log.trimEnd()).toMatch(/closed$/);
    rmSync(folder, { recursive: true });
  });
});

describe('a sweep with a node that takes no documents', openSearch.orSkip, () => {
  const server = withPostgres();

  it('says so, since every write was answered', async () => {
    const { url } = search.node;
    const template = { index_patterns: [ofArms], template: { settings: { 'index.blocks.write': true } } };
    expect((await askNode(url, 'PUT', '/_index_template/planted', template)).status).toBe(200);
    const { folder, run, code, err } = await sweepSearch(
      ['"off"', 'per-document'],
      ...['--postgres', server.postgres.adminUrl(), '--opensearch', url],
    );
    expect(code, err).toBe(exitCodeOf(run));
    expect(found(run, 'search-failures')).toEqual(['search=per-document']);
    rmSync(folder, { recursive: true });
  });
});

/** A quick sweep over some modes; the first is the control. */
async function sweepSearch(modes: readonly string[], ...more: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-search-'));
  const file = join(folder, 'search.yaml');
  const run = join(folder, 'run');
  writeFileSync(
    file,
    `title: Search
target: { service: documents }
dataset: { template: partial-grand-bend, documents: 300 }
sweep: { search: { env: SEARCH_MODE, levels: [${modes.join(', ')}] } }
control: { search: ${modes[0]} }
load: { connections: [2], slice: 1s, drop: 100ms, warmup: 500ms, timeout: 60s, workload: upsert-schools }
stack: { opensearch: on }
`,
  );
  return { folder, run, ...(await cli('sweep', file, '--quick', '--out', run, ...more)) };
}

/** In which variants a finding was made. */
function found(run: string, name: string): string[] {
  const { findings } = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8')) as Summary;
  return (findings.find((finding) => finding.name === name)?.cells ?? []).map(({ variant }) => variant);
}
