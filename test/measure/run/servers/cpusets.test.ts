import { describe, expect, it } from 'vitest';
import { cpusetWarnings, parseCpuset } from '../../../../src/measure/run/servers/cpusets.ts';

describe('CPU sets', () => {
  it('are lists and ranges', () => {
    expect(parseCpuset('0,2-4')).toEqual(new Set([0, 2, 3, 4]));
    expect(parseCpuset('3-1')).toBeNull();
    expect(parseCpuset('all')).toBeNull();
  });

  it('that overlap, or leave no CPU to the rest, are warned of', () => {
    expect(cpusetWarnings({ postgres: { cpuset: '0-1' }, opensearch: { cpuset: '1' } }, 4)).toEqual([
      {
        kind: 'cpusets-overlap',
        servers: [
          { name: 'postgres', cpuset: '0-1' },
          { name: 'opensearch', cpuset: '1' },
        ],
      },
    ]);
    expect(cpusetWarnings({ postgres: { cpuset: '0' }, opensearch: { cpuset: '1' } }, 2)).toEqual([
      { kind: 'cpusets-take-all', cpus: 2 },
    ]);
    expect(cpusetWarnings({ postgres: { cpuset: '0' }, opensearch: {} }, 2)).toEqual([]);
  });
});
