import { messageOf } from '../errors.ts';
import { ConfigError, loadConfig, type ServiceConfig } from './config.ts';
import { type StartedService, startService } from './service.ts';

const stopCapMs = 8000;
/** Exit code where the environment is wrong. */
const USAGE = 2;

await main();

async function main(): Promise<void> {
  const config = readConfig();
  let stopping = false;
  let started: StartedService | null = null;
  const stop = (): void => {
    // A terminal sends SIGINT to the whole group, and the parent SIGTERM on top of it: the second one changes nothing.
    if (stopping) return;
    stopping = true;
    if (started === null) process.exit(0);
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
    if (error instanceof ConfigError) fail(error.message, USAGE);
    throw error;
  }
}

function stopAndExit(started: StartedService): void {
  setTimeout(() => fail(`requests were still in flight after ${stopCapMs / 1000} s; they are lost`, 1), stopCapMs);
  started.stop().then(
    () => process.exit(0),
    (error) => fail(`could not stop: ${error}`, 1),
  );
}

function fail(message: string, exitCode: number): never {
  process.stderr.write(`pgsweep service: ${message}\n`);
  process.exit(exitCode);
}

/** One line that says why the service could not start. */
function describeStartError(error: unknown, config: ServiceConfig): string {
  const { hostname, port, username, pathname } = new URL(config.databaseUrl);
  const database = `Postgres at ${hostname || 'localhost'}:${port || '5432'}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'EADDRINUSE':
      return `the port ${config.port} of ${config.host} is in use; set PORT to another, or to 0 for any free one`;
    case 'EADDRNOTAVAIL':
      return `HOST ${config.host} is no address of this machine`;
    case 'EACCES':
      return `the port ${config.port} needs rights that this user does not have; set PORT to one above 1023`;
    case 'ECONNREFUSED':
    case 'EHOSTUNREACH':
    case 'ETIMEDOUT':
    case 'ECONNRESET':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `cannot reach ${database} (${code}); is it running, and is DATABASE_URL right?`;
    case '28P01':
    case '28000':
      return `${database} refused the user '${decodeURIComponent(username)}': ${messageOf(error)}`;
    case '3D000':
      return `${database} has no database '${decodeURIComponent(pathname.slice(1))}'`;
    default:
      return messageOf(error).replaceAll(/\s*\n\s*/g, ' ');
  }
}
