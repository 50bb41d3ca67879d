// Prints the folder of the OpenSearch release for this machine's Java, which is fetched where it is not in the cache.
import { startReaper } from '../../src/base/process/reaper.ts';
import { findJava } from '../../src/measure/stack/embedded/find-java.ts';
import { setUpOpenSearch } from '../../src/measure/stack/embedded/opensearch-set-up.ts';

const { env } = process;
const reaper = startReaper();
const { version } = await findJava({ env });
const onProgress = (message: string): void => console.error(message);
console.log(await setUpOpenSearch({ version, reaper, env, onProgress, signal: undefined }));
await reaper.close();
