import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Processes that are no part of a run, and want a core each; they are at work. */
export async function startHogs(count: number): Promise<{ stop(): Promise<void> }> {
  const hogs = Array.from({ length: count }, () => {
    // Ends by itself, in case nobody is left to end it.
    const busy = spawn(process.execPath, [
      '-e',
      'process.stdout.write("busy"); const end = Date.now() + 120e3; while (Date.now() < end);',
    ]);
    return { busy, exited: new Promise((resolve) => busy.once('exit', resolve)) };
  });
  await Promise.all(hogs.map(({ busy }) => once(busy.stdout, 'data')));
  return {
    async stop() {
      for (const { busy } of hogs) busy.kill();
      await Promise.all(hogs.map(({ exited }) => exited));
    },
  };
}
