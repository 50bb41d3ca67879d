import { totalmem } from 'node:os';
import { isSetBySample } from '../../journal/sample.ts';
import type { WrittenTune } from './resolve-tune.ts';

/** The values of a Postgres setting to try; of levels its default first. */
type TunableSetting = Pick<WrittenTune[string], 'range' | 'levels'>;

const GB = 1024 ** 3;

/** A power of two, the next below: `512MB`, `4GB`. */
function sizeOf(bytes: number): string {
  const power = 2 ** Math.floor(Math.log2(Math.max(1, bytes / 1024 ** 2)));
  return power < 1024 ? `${power}MB` : `${power / 1024}GB`;
}

/**
 * The settings that often matter, can be set for a database, and take no durability away. The ranges of memory depend on what the machine
 * has. A test compares all with pg_settings.
 */
export function tunableSettings(memoryBytes = totalmem()): Readonly<Record<string, TunableSetting>> {
  const cache = [Math.min(4 * GB, memoryBytes / 8), Math.max(4 * GB, (3 * memoryBytes) / 4)].map(sizeOf);
  return {
    // Each of many connections may take it several times.
    work_mem: { range: ['1MB', sizeOf(Math.max(0.064 * GB, memoryBytes / 64))] },
    hash_mem_multiplier: { range: ['1.0', '8.0'] },
    effective_cache_size: { range: [cache[0] ?? '1GB', cache[1] ?? '4GB'] },
    random_page_cost: { range: ['1.0', '4.0'] },
    cpu_tuple_cost: { range: [0.001, 0.1] },
    jit: { levels: ['on', 'off'] },
    plan_cache_mode: { levels: ['auto', 'force_custom_plan', 'force_generic_plan'] },
    join_collapse_limit: { range: [1, 16] },
    max_parallel_workers_per_gather: { levels: [2, 0, 1, 4] },
    parallel_setup_cost: { range: [10, 10_000] },
    min_parallel_table_scan_size: { range: ['1MB', '64MB'] },
    commit_delay: { levels: [0, 10, 100, 1000] },
  };
}

/** The space that `tune: postgres` stands for, without what the service sets itself. */
export function postgresSpace({ service }: { readonly service?: string | undefined }): WrittenTune {
  const all = Object.entries(tunableSettings()).filter(([name]) => service === undefined || !isSetBySample(name));
  return Object.fromEntries(all.map(([setting, values]) => [setting, { setting, ...values }]));
}
