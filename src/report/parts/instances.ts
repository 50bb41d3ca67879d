import { loadAxis, loadLabel } from '../../journal/load-level.ts';
import type { ReportPart } from './part.ts';

const dealt = { connections: 'connections', users: 'users', rate: 'requests' } as const;

/** How many processes a service is. */
export const instances = {
  /** `1 and 4 processes of the service, connections dealt to them in order`; null where no variant has several. */
  ofAll(all, loads) {
    const counts = [...new Set(all.map((count = 1) => count))].sort((a, b) => a - b);
    if (Math.max(...counts) === 1) return null;
    const kinds = [...new Set(loads.map((load) => dealt[loadAxis(load)]))];
    const what = kinds.length === 0 ? 'load' : kinds.join(' and ');
    return `${counts.join(' and ')} processes of the service, ${what} dealt to them in order`;
  },
  telling: ['event_loop_active_busiest_seconds_per_s'],
  written: (count) => count ?? 1,
  notes: {
    'idle-instances': (note) =>
      `${note.loads.map(loadLabel).join('; ')}: fewer than the ${note.instances} instances of the service, so the others had no load`,
  },
  remedies: {
    'idle-instances': 'Use at least one connection per instance: load.connections no fewer than target.instances.',
  },
} satisfies ReportPart<number>;
