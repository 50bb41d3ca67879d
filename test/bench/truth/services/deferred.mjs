// Answers after WORK thousand steps of its thread, and does LATER (a share) of them once more DELAY_MS after the answer, when
// no one waits for it: a queue, an audit log, a cache that is filled.
import { serve, setting, work } from './bare.mjs';

const [steps, later, delayMs] = [setting('WORK', 0), setting('LATER', 0), setting('DELAY_MS', 0)];
serve((_, answer) => {
  work(steps);
  answer();
  if (later > 0) setTimeout(work, delayMs, later * steps);
});
