import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { messageOf, PgsweepError } from '../../../base/errors.ts';

/** A Docker engine that answers, with compose v2. */
export interface DockerEngine {
  readonly version: string;
  readonly composeVersion: string;
  /** True if a container on the host's network is on this machine's: not in Docker Desktop's virtual machine. */
  readonly hostNetwork: boolean;
  /** Where images and volumes are, where that is a folder of this machine. */
  readonly dataFolder: string | null;
}

/** Why there is no engine to use, and what to do about it. */
export interface NoDocker {
  readonly why: string;
  readonly detail: string;
  readonly hint: string;
}

/** An engine that takes longer than this to say that it is there is no engine to measure on. */
const answerLimitMs = 3000;
const commandLimitMs = 60_000;
const embeddedHint = 'or go without containers: --stack embedded';

/** Runs a short `docker` command and returns what it prints. Throws an Error with what it complains of. */
export async function docker(args: readonly string[], timeoutMs = commandLimitMs): Promise<string> {
  return (await dockerOutput(args, timeoutMs)).stdout.trim();
}

/** Runs docker and returns both streams: a container's log has both. */
export async function dockerOutput(args: readonly string[], timeoutMs = commandLimitMs) {
  try {
    const options = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 2 ** 24 } as const;
    return await promisify(execFile)('docker', [...args], options);
  } catch (error) {
    throw new Error(complaintOf(error, timeoutMs), { cause: error });
  }
}

function complaintOf(error: unknown, timeoutMs: number): string {
  const { stderr, killed, code } = error as { stderr?: string; killed?: boolean; code?: unknown };
  if (code === 'ENOENT') return 'there is no program docker';
  if (killed) return `no answer within ${timeoutMs / 1000} s`;
  return stderr?.trim() || messageOf(error);
}

/** Looks for an engine, for 3 s at most. Never throws. */
export async function findDocker(): Promise<DockerEngine | NoDocker> {
  const [info, compose] = await Promise.allSettled([
    docker(['info', '--format', '{{json .}}'], answerLimitMs),
    docker(['compose', 'version', '--short'], answerLimitMs),
  ]);
  if (info.status === 'rejected') {
    const detail = messageOf(info.reason).split('\n')[0] ?? '';
    return { why: 'no Docker engine', detail, hint: `Start Docker, or install it; ${embeddedHint}` };
  }
  const facts = parseInfo(info.value);
  if (facts === null) {
    return { why: 'no Docker engine', detail: 'docker info says nothing of it', hint: `Start Docker; ${embeddedHint}` };
  }
  const composeVersion = compose.status === 'fulfilled' ? compose.value.replace(/^v/, '') : null;
  if (composeVersion === null || Number.parseInt(composeVersion, 10) < 2) {
    return {
      why: `Docker ${facts.version} has no compose v2`,
      detail: composeVersion === null ? await standalone() : `found ${composeVersion}`,
      hint: `Install the plugin (docker-compose-plugin, or docker-compose-v2 on Ubuntu); ${embeddedHint}`,
    };
  }
  return { ...facts, composeVersion };
}

/** The old compose, its own program, knows neither --wait nor half of the compose file. */
async function standalone(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('docker-compose', ['version', '--short'], { timeout: answerLimitMs });
    return `found docker-compose ${stdout.trim()}`;
  } catch {
    return 'docker compose version fails';
  }
}

function parseInfo(text: string): Omit<DockerEngine, 'composeVersion'> | null {
  let info: { ServerVersion?: string; OperatingSystem?: string; DockerRootDir?: string; SecurityOptions?: string[] };
  try {
    info = JSON.parse(text);
  } catch {
    return null;
  }
  if (!info.ServerVersion) return null;
  const here = process.platform === 'linux' && !/Docker Desktop/i.test(info.OperatingSystem ?? '');
  // Rootless, its host network is not this machine's. The variable is for the tests.
  const rootless = info.SecurityOptions?.some((option) => option.includes('rootless')) ?? false;
  const folder = info.DockerRootDir;
  return {
    version: info.ServerVersion,
    hostNetwork: here && !rootless && process.env.PGSWEEP_TEST_PUBLISH === undefined,
    dataFolder: here && folder !== undefined && existsSync(folder) ? folder : null,
  };
}

/** Facts about a local image. */
export interface DockerImage {
  readonly name: string;
  /** `sha256:...`: what the registry calls it, or its own id where it was built here. */
  readonly digest: string;
  /** Its folders that are a separate volume in every container. */
  readonly volumes: readonly string[];
  /** Environment of its containers. */
  readonly env: Readonly<Record<string, string>>;
}

/** An image that is at hand, or null. Throws PgsweepError('stack') where the engine does not say. */
export async function findImage(name: string): Promise<DockerImage | null> {
  let text: string;
  try {
    text = await docker(['image', 'inspect', '--format', '{{json .}}', name]);
  } catch (cause) {
    if (/no such image/i.test(messageOf(cause))) return null;
    throw new PgsweepError('stack', `docker image inspect ${name}: ${messageOf(cause)}`, { cause });
  }
  const { Id, RepoDigests, Config } = JSON.parse(text) as {
    Id: string;
    RepoDigests?: string[];
    Config?: { Volumes?: Record<string, unknown> | null; Env?: string[] | null };
  };
  const digest = RepoDigests?.[0]?.split('@')[1] ?? Id;
  const env = (Config?.Env ?? []).map((line) => [line.split('=', 1)[0] ?? '', line.slice(line.indexOf('=') + 1)]);
  return { name, digest, volumes: Object.keys(Config?.Volumes ?? {}), env: Object.fromEntries(env) };
}
