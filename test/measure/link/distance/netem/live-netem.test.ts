import { expect, it } from 'vitest';
import { startReaper } from '../../../../../src/base/process/reaper.ts';
import { addedMs, type DistanceReading, type DistanceSpec } from '../../../../../src/journal/link/distance.ts';
import { openLink } from '../../../../../src/measure/link/open-link.ts';
import { query } from '../../../../../src/measure/stack/common/query.ts';
import { needs } from '../../../../support/needs.ts';
import { startEmbeddedPostgres } from '../../../../support/started-postgres.ts';

const netem = await needs('netem');

it(
  'makes distances that are as asked, or longer on a busy machine, and gives bytes as they are',
  netem.orSkip,
  async () => {
    const reaper = startReaper();
    const server = await startEmbeddedPostgres({ reaper, ownNetwork: true });
    const signal = new AbortController().signal;
    const open = (distance?: DistanceSpec) =>
      openLink({
        variant: { name: 'far', factors: {}, env: {}, ...(distance && { distance }) },
        databaseUrl: server.adminUrl(),
        networkPid: server.networkPid,
        reaper,
        signal,
      });
    const asked = [{ rttMs: 0.5 }, { rttMs: 1 }, { rttMs: 2 }, { rttMs: 1, bandwidthMbit: 1 }, { rttMs: 100 }];
    const links = await Promise.all(asked.map(open));
    const near = await open();
    const readings: DistanceReading[] = [];
    for (const link of links) {
      const { distance } = await link.verify();
      if (distance !== undefined) readings.push(distance);
    }
    const shown = readings.map((one) => [
      one.asked.rttMs,
      addedMs(one),
      one.direct.p50Us,
      one.distant.p50Us,
      one.distant.p99Us,
    ]);
    console.log('asked ms, added ms, direct p50, distant p50, p99 us:', JSON.stringify(shown));
    expect(readings.map(({ by }) => by)).toEqual(asked.map(() => 'netem'));
    // A wait in the kernel is never shorter than asked.
    for (const { asked: own, distant } of readings) expect(distant.p50Us).toBeGreaterThan(1000 * own.rttMs);
    expect(await near.verify()).toEqual({});

    // 2 MB of random text at 100 Mbit/s and 20 ms, more than any default queue holds.
    const wide = await open({ rttMs: 20, bandwidthMbit: 100 });
    const startMs = performance.now();
    const [row] = await query(
      wide.url,
      `SELECT md5(text) AS digest, text FROM (SELECT string_agg(md5(i::text), '') AS text FROM generate_series(1, 62500) AS i) AS made`,
    );
    expect(performance.now() - startMs).toBeGreaterThan(160);
    expect(row?.text).toHaveLength(2_000_000);
    const [direct] = await query(server.adminUrl(), `SELECT md5($1::text) AS digest`, [row?.text]);
    expect(direct?.digest).toBe(row?.digest);
    for (const link of [...links, near, wide]) await link.close();
    await server.stop();
    await reaper.close();
  },
);
