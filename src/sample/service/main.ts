import { ExitCode } from '../../base/exit-codes.ts';
import { ConfigError, loadConfig, type ServiceConfig } from './config.ts';
import { type StartedService, startService } from './service.ts';
import { describeStartError } from './start-error.ts';

const stopCapMs = 8000;

await main();

async function main(): Promise<void> {
  const config = readConfig();
  let stopping = false;
  let started: StartedService | null = null;
  const stop = (): void => {
    // A terminal sends SIGINT to the whole group, and the parent SIGTERM on top of it: the second one changes nothing.
    if (stopping) return;
    stopping = true;
    if (started === null) process.exit(ExitCode.done);
    stopAndExit(started);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    started = await startService(config);
  } catch (error) {
    fail(describeStartError(error, config), 1);
  }
  process.stdout.write(`listening on ${started.url}\n`);
}

function readConfig(): ServiceConfig {
  try {
    return loadConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigError) fail(error.message, ExitCode.usage);
    throw error;
  }
}

function stopAndExit(started: StartedService): void {
  setTimeout(() => fail(`requests were still in flight after ${stopCapMs / 1000} s; they are lost`, 1), stopCapMs);
  started.stop().then(
    () => process.exit(ExitCode.done),
    (error) => fail(`could not stop: ${error}`, 1),
  );
}

function fail(message: string, exitCode: number): never {
  process.stderr.write(`pgsweep service: ${message}\n`);
  process.exit(exitCode);
}
