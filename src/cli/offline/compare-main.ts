import { workerData } from 'node:worker_threads';
import { answer } from '../report/answer.ts';
import { type AskedComparison, compareAt } from './compare-at.ts';

/** The thread in which runs of anybody's are compared. */

await answer((io) => compareAt(workerData as AskedComparison, io));
