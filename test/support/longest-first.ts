import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest, in that order, project by project: how the paths of these tests begin, below test/. */
const slow = [
  'live/cli/interrupted',
  'live/cli/treatments',
  'live/diagnosis/workloads',
  'live/run/later-work',
  'live/extending',
  'live/load/truth',
  'live/cli/stack',
  'live/run/housekeeping',
  'live/run/live-session',
  'live/diagnosis/steady-rates',
  'live/run/counters',
  'live/run/warm-groups',
  'live/run/hot-set',
  'live/cli',
  'live/run',
  'tools/cli/k6',
  'tools/stack/embedded-opensearch',
  'tools/run/search',
  'tools/link/pgbouncer',
  'tools/cli/stack',
  'tools/stack/docker',
  'tools/scripts',
  'tools/service',
  'measure/probe/machine/processes',
  'measure/run/preflight',
  'sample/bulk/service',
  'sample/bulk/bulk-load',
  'measure/against/take-sides',
  'cli/sweep',
  'measure/dataset/sql-file',
  'scripts/bulk-load-performance',
  'cli/bulk-load',
  'sample/service/concurrency',
  'measure/stack/embedded/kept-cluster',
  'sample/service/main',
  'sample/dataset',
  'measure/run',
  'cli',
  'measure/validity',
  'measure/stack',
  'measure/treatment',
  'measure/probe',
  'measure/dataset',
  'measure/load',
  'sample',
  'measure',
  'judge/stats/change-points',
  'report/first-screen',
  'judge/read/cells/pooled-percentile',
  'judge/verdicts/across/steady-rates',
  'judge/verdicts/gate-errors',
  'report/large-report',
  'judge/verdicts/verdicts',
  'judge/between-runs/false-alarms',
  'judge/explain/diagnosis',
  'judge/verdicts/withheld',
  'judge/stats/false-alarms',
  'judge/verdicts',
  'judge',
];

/**
 * What takes long begins first, or a single file of it is what all wait for in the end. A first run knows no times. Files
 * that share processes come last, one behind the other.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const [, path = ''] = moduleId.split('/test/');
      const at = slow.findIndex((start) => path.startsWith(start));
      return (at < 0 ? slow.length : at) + (project.config.isolate ? 0 : slow.length + 1);
    };
    return [...(await super.sort(files))].sort((a, b) => rank(a) - rank(b));
  }
}
