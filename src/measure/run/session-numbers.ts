import type { Journal, JournalWriter } from '../../journal/journal.ts';
import type { ResolvedScenario } from '../../journal/scenario-record.ts';
import { firstUnique, setAside } from '../load/unique-numbers.ts';
import type { ServersOptions } from './servers/session-servers.ts';

/** Numbers of `${unique}` of a session, of which a resumed run repeats none. */
export interface SessionNumbers {
  /** The scenario with the first number of this session, and a listener for those that the generator sets aside. */
  readonly wanted: Pick<ServersOptions, 'scenario' | 'onSetAside'>;
  /** Writes down which numbers are set aside, from now on. */
  writeTo(journal: JournalWriter): void;
}

export function sessionNumbers(scenario: ResolvedScenario, resume: Journal | null): SessionNumbers {
  const uniqueFrom = firstUnique(scenario, resume);
  let journal: JournalWriter | null = null;
  return {
    wanted: {
      scenario: { ...scenario, load: { ...scenario.load, uniqueFrom } },
      onSetAside(below) {
        try {
          journal?.append({ type: 'unique', below });
        } catch {
          // The next record of the round reports a full disk. A number repeats only if the run is resumed from here.
        }
      },
    },
    writeTo(opened) {
      opened.append({ type: 'unique', below: setAside(uniqueFrom) });
      journal = opened;
    },
  };
}
