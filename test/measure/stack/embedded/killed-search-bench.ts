// A bench that the test kills: with a node that runs, or in the middle of a set-up.
import { startReaper } from '../../../../src/base/process/reaper.ts';
import { startEmbeddedOpenSearch } from '../../../../src/measure/stack/embedded/opensearch.ts';

const reaper = startReaper();
const node = await startEmbeddedOpenSearch({ reaper, onProgress: (message) => console.error(message) });
console.log(JSON.stringify({ pid: node.pid, logFile: node.logFile }));
setInterval(() => {}, 1000);
