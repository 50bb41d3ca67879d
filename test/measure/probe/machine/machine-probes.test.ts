import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { network, networkValues, parseInterfaces } from '../../../../src/measure/probe/machine/network.ts';
import { pressure } from '../../../../src/measure/probe/machine/pressure.ts';
import { present, type TestContext, testArm, testContext, wholeLoad } from '../probe-context.ts';

const contexts: TestContext[] = [];
afterEach(() => {
  for (const context of contexts.splice(0)) context.remove();
});

function context(): TestContext {
  const made = testContext();
  contexts.push(made);
  return made;
}

describe('the network probe', () => {
  it('sees the bytes that went over loopback', async () => {
    const body = Buffer.alloc(20e6);
    const server = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const own = context();
    const probe = present(await network.open(own));
    const start = performance.now();
    const mark = await probe.begin(testArm());
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await answer.arrayBuffer();
    const seconds = (performance.now() - start) / 1000;
    const values = (await mark.end(wholeLoad(1000 * seconds)))?.values ?? {};
    await probe.close();
    server.close();
    expect((values.loopback_bytes_per_s ?? 0) * seconds).toBeGreaterThan(20e6);
    expect(values.tcp_segments_per_s).toBeGreaterThan(0);
    expect(own.samples('network')[0]?.slice(4, 7)).toEqual(['interface', 'received_bytes', 'sent_bytes']);
    expect(own.warnings).toEqual([]);
  });

  it('tells loopback from the rest, and how full the fullest interface was', () => {
    const reading = (lo: number, eth: number, retransmits: number) => ({
      interfaces: [
        { name: 'lo', receivedBytes: lo, sentBytes: lo },
        { name: 'eth0', receivedBytes: eth, sentBytes: 2 * eth },
        { name: 'veth1', receivedBytes: 10, sentBytes: 10 },
      ],
      tcp: { tcpSegments: 1000 * retransmits, tcpRetransmits: retransmits, listenOverflows: null },
    });
    const samples = [
      { atMs: 0, value: reading(0, 0, 1) },
      { atMs: 2000, value: reading(600, 5000, 3) },
    ] as const;
    expect(networkValues(samples, { passMs: 2000 }, (name) => (name === 'eth0' ? 10_000 : null))).toEqual({
      loopback_bytes_per_s: 300,
      network_received_bytes_per_s: 2500,
      network_sent_bytes_per_s: 5000,
      network_utilisation_share: 0.5,
      tcp_segments_per_s: 1000,
      tcp_retransmitted_share: 0.001,
    });
    expect(networkValues(samples, { passMs: 2000 }, () => null)).not.toHaveProperty('network_utilisation_share');
  });

  it('reads /proc/net/dev, also where a name and its first number touch', () => {
    const text =
      'Inter-|   Receive\n face |bytes    packets\n    lo: 5 2 0 0 0 0 0 0 6 2 0 0 0 0 0 0\n  eth0:123 9 0 0 0 0 0 0 456 8 0 0 0 0 0 0\n';
    expect(parseInterfaces(text)).toEqual([
      { name: 'lo', receivedBytes: 5, sentBytes: 6 },
      { name: 'eth0', receivedBytes: 123, sentBytes: 456 },
    ]);
  });
});

describe('the pressure probe', () => {
  it('gives shares of the time, and samples beside them', async () => {
    const own = context();
    const probe = present(await pressure.open(own));
    const mark = await probe.begin(testArm());
    const end = performance.now() + 300;
    while (performance.now() < end);
    const values = (await mark.end(wholeLoad()))?.values ?? {};
    await probe.close();
    expect(values.machine_cpu_share).toBeGreaterThan(0);
    for (const value of Object.values(values)) {
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
    }
    expect(own.samples('pressure')).toHaveLength(3);
  });
});
