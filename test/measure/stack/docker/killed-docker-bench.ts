// A bench that the test kills while its containers run.
import { startReaper } from '../../../../src/base/process/reaper.ts';
import { runLabel } from '../../../../src/measure/stack/docker/compose.ts';
import { findDocker } from '../../../../src/measure/stack/docker/engine.ts';
import { prepareDockerPostgres } from '../../../../src/measure/stack/docker/postgres.ts';
import { testImages } from './docker.ts';

const engine = await findDocker();
if ('why' in engine) throw new Error(engine.why);

const reaper = startReaper();
const prepared = await prepareDockerPostgres(engine, { reaper, server: { image: testImages.postgres } });
const first = await prepared.start();
await first.stop();
const copy = await prepared.copy();
const servers = await Promise.all([prepared.start(), copy.start()]);
console.log(JSON.stringify({ label: runLabel, pids: servers.map(({ pid }) => pid) }));
setInterval(() => {}, 60_000);
