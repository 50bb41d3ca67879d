import type { WholeSlicesReason } from '../../journal/pass-records.ts';

/** Why arms had their time in whole slices instead of turns. */
export const wholeWords: Readonly<Record<WholeSlicesReason, string>> = {
  'turned off': 'turns are off',
  latency: 'latency is too long for turns',
  waits: 'some answers outlast turns',
  'idle work': 'an arm kept working in the turns of others',
  'turn ends': 'an arm lost over 5 % of its time waiting for the last answers of its turns',
  'shared buffers': 'the databases of all arms together do not fit in shared_buffers',
  memory: 'the databases and shared_buffers of all arms together do not fit in memory',
  'kind of load': 'this kind of load cannot be interrupted',
};
