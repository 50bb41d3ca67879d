import { workerData } from 'node:worker_threads';
import { answer } from '../report/answer.ts';
import { type MergeInThread, mergeAt } from './merge-at.ts';

/** The thread in which runs of anybody's are merged. */

const asked = workerData as MergeInThread;

await answer((io) => mergeAt(asked, { ...asked, ...io }));
