import { run } from 'graphile-worker';

export async function open({ connectionString, send }) {
  const runner = await run({
    connectionString,
    concurrency: 5,
    noHandleSignals: true,
    taskList: { mail: send },
    logger: undefined,
  });
  return { add: (job) => runner.addJob('mail', job), close: () => runner.stop() };
}
