import type { ResolvedScenario } from '../../../journal/scenario-record.ts';
import { chooseDistanceWay, wayWords } from '../servers/distance-way.ts';
import { type Finding, ok, problemOf } from './finding.ts';

/** What would make the distances of a scenario; nothing where it has none. */
export async function examineDistance(scenario: ResolvedScenario, stack: string): Promise<Finding[]> {
  try {
    const way = await chooseDistanceWay(scenario, stack);
    return way === null ? [] : [ok('distance', `made ${wayWords(way)}`)];
  } catch (error) {
    return [problemOf('distance', error)];
  }
}
