import { workerData } from 'node:worker_threads';
import { answer } from './answer.ts';
import { type AskedReport, reportRun } from './report-run.ts';

/** The thread in which a run of anybody's is judged. */

const asked = workerData as AskedReport;

await answer((io) => reportRun(asked, { ...asked, ...io }));
