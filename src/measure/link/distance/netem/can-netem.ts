import { type ExecFileException, execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { netemArguments } from './open-netem.ts';

/** Tries everything that a distance needs, on a pair that has both its ends in its own namespace, which ends with the trial. */
const TRIAL = `
for program in ip tc nsenter; do
  command -v $program >/dev/null || { echo "there is no $program on PATH (Debian: iproute2, util-linux)"; exit 1; }
done
ip link set lo up && ip link add name a type veth peer name b netns $$ || { echo 'no veth can be made'; exit 1; }
nsenter --target $$ --net tc qdisc add dev a root netem "$@" || { echo 'the kernel has no netem'; exit 1; }
unshare --setgid 65534 --setuid 65534 -- true || { echo 'unshare changes no user'; exit 1; }
`;
/** It takes 0.05 s, on a machine that emulates another 5 s. */
const LIMIT_MS = 60_000;

/** Why the kernel of this machine cannot make distances, for people; null where it can. Touches none of its interfaces. */
export async function whyNoNetem(): Promise<string | null> {
  if (process.platform !== 'linux') return 'only Linux has netem';
  if (process.getuid?.() !== 0) return 'it needs root';
  const trial = ['sh', '-c', TRIAL, 'sh', ...netemArguments({ rttMs: 1, bandwidthMbit: 1 })];
  try {
    await promisify(execFile)('unshare', ['--net', ...trial], { timeout: LIMIT_MS });
    return null;
  } catch (error) {
    const { code, killed, stdout, stderr } = error as ExecFileException;
    if (killed) return `it was not tried within ${LIMIT_MS / 1000} s`;
    if (code === 'ENOENT') return 'there is no unshare on PATH (Debian: util-linux)';
    const said = stderr?.trim().split('\n').at(-1)?.replace(/\.$/, '');
    return [stdout?.trim() || 'no network namespace can be made', ...(said ? [said] : [])].join(': ');
  }
}
