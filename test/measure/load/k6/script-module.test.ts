import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type K6Load, otherThanLoopback, scriptModule } from '../../../../src/measure/load/k6/script-module.ts';

interface K6Options {
  readonly [key: string]: unknown;
  readonly scenarios: Record<string, Record<string, unknown>>;
  readonly blacklistIPs: string[];
}

/** The options of the module, as Node makes them: what is k6's own is stood in for. */
function optionsOf(script: string, load: K6Load, { exec = 'default', remote = false } = {}): K6Options {
  const folder = mkdtempSync(join(tmpdir(), 'pgsweep-k6-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'a script.mjs');
  writeFileSync(file, script);
  const workload = { script: file, exec, ...(remote && { remote: true as const }) };
  const module = scriptModule({ workload, load, graceMs: 10_000 })
    .replace("import exec from 'k6/execution';", 'const exec = {};')
    .replace("import { Gauge } from 'k6/metrics';", 'class Gauge {}');
  writeFileSync(join(folder, 'module.mjs'), `${module}\nconsole.log(JSON.stringify(options));`);
  return JSON.parse(execFileSync(process.execPath, [join(folder, 'module.mjs')], { encoding: 'utf8', stdio: 'pipe' }));
}

const users = { kind: 'users', users: 5, durationMs: 4000 } as const;

describe("the options of a script under the scenario's load", () => {
  it("have the load of the scenario, and all else of the script's", () => {
    const options = optionsOf(
      `export const options = {
        vus: 99, duration: '1h', stages: [], rps: 3, cloud: { projectID: 1 },
        hosts: { 'items.test': '127.0.0.1' }, tags: { suite: 'a' }, insecureSkipTLSVerify: true,
        thresholds: { 'http_req_duration{url:x,group:y}': [{ threshold: 'p(95)<200', abortOnFail: true }, 'p(99)<1'] },
        scenarios: { shop: { executor: 'ramping-vus', exec: 'browse', env: { A: 'b' }, tags: { who: 'shop' }, stages: [] } },
      };
      export function browse() {}`,
      users,
      { exec: 'browse' },
    );
    expect(options.scenarios).toEqual({
      pgsweep: {
        executor: 'constant-vus',
        vus: 5,
        duration: '4000ms',
        gracefulStop: '10000ms',
        exec: 'pgsweep',
        env: { A: 'b' },
        tags: { who: 'shop' },
      },
    });
    expect(options).toMatchObject({
      hosts: { 'items.test': '127.0.0.1' },
      tags: { suite: 'a' },
      insecureSkipTLSVerify: true,
      thresholds: { 'http_req_duration{url:x,group:y}': [{ threshold: 'p(95)<200' }, 'p(99)<1'] },
    });
    for (const key of ['vus', 'duration', 'stages', 'rps', 'cloud']) expect(options).not.toHaveProperty(key);
    // A threshold finds its samples by tags that would otherwise not be made.
    expect(options.systemTags).toEqual(expect.arrayContaining(['name', 'status', 'url', 'group']));
    expect(options.systemTags).not.toContain('tls_version');
  });

  it('say whose iteration a sample of users is of', () => {
    const tagsOf = (load: K6Load) => optionsOf('export default function () {}', load).systemTags;
    expect(tagsOf(users)).toEqual(expect.arrayContaining(['vu', 'iter']));
    expect(tagsOf({ kind: 'rate', rate: 5, inFlight: 20, durationMs: 1500 })).not.toContain('iter');
  });

  it('have a rate in whole numbers, and a second at least', () => {
    const script = 'export default function () {}';
    const rate = { kind: 'rate', rate: 2.5, inFlight: 20, durationMs: 150 } as const;
    expect(optionsOf(script, rate).scenarios.pgsweep).toMatchObject({
      executor: 'constant-arrival-rate',
      rate: 5,
      timeUnit: '2s',
      duration: '1000ms',
      preAllocatedVUs: 20,
      maxVUs: 20,
    });
    expect(optionsOf(script, { kind: 'once', iterations: 3, durationMs: 4000 }).scenarios.pgsweep).toMatchObject({
      executor: 'shared-iterations',
      iterations: 3,
      maxDuration: '4000ms',
    });
  });

  it('say what functions there are where the one that is named is not', () => {
    const script = 'export function browse() {}\nexport const data = 1;';
    expect(() => optionsOf(script, users)).toThrow('the script exports no function default, but browse');
  });

  it('keep away from other machines, unless they are allowed', () => {
    const script = "export default function () {}\nexport const options = { blacklistIPs: ['127.0.0.9/32'] };";
    expect(optionsOf(script, users).blacklistIPs).toEqual(['127.0.0.9/32', ...otherThanLoopback()]);
    expect(optionsOf(script, users, { remote: true }).blacklistIPs).toEqual(['127.0.0.9/32']);
  });
});

describe('all addresses but those of this machine', () => {
  // Apart, since Node also looks for an address of IPv4 among those of IPv6, as k6 does not.
  const [others, othersOfV6] = [new BlockList(), new BlockList()];
  for (const range of otherThanLoopback()) {
    const [address = '', bits] = range.split('/');
    if (address.includes(':')) othersOfV6.addSubnet(address, Number(bits), 'ipv6');
    else others.addSubnet(address, Number(bits), 'ipv4');
  }
  it.each(['127.0.0.1', '127.255.255.255'])('%s is this machine', (address) => {
    expect(others.check(address)).toBe(false);
  });

  it.each(['126.255.255.255', '128.0.0.0', '0.0.0.0', '10.0.0.1', '192.168.1.1', '255.255.255.255', '64.1.2.3'])(
    '%s is another',
    (address) => expect(others.check(address)).toBe(true),
  );

  it('of IPv6 is all but ::1', () => {
    expect(othersOfV6.check('::1', 'ipv6')).toBe(false);
    for (const address of ['::', '::2', '::3', 'fe80::1', '2001:db8::1', 'ffff::', '0:0:0:1::1'])
      expect(othersOfV6.check(address, 'ipv6'), address).toBe(true);
  });
});
