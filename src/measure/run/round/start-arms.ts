import { join } from 'node:path';
import { createInTurn } from '../../../base/async/in-turn.ts';
import { causedBy } from '../../../base/errors.ts';
import { maskKnownTexts } from '../../../base/secrets.ts';
import { hasPostgres } from '../../../journal/link/own-database.ts';
import { areOneProcess } from '../../../journal/variant-parts.ts';
import { isWarned } from '../../finding.ts';
import { linkFindings } from '../../link/parts.ts';
import { type Arm, armsOf } from '../../plan/arms.ts';
import type { StartedTarget } from '../../target/target.ts';
import { changesIndexes } from '../../treatment/kinds.ts';
import type { ArmDatabase } from '../servers/arm-databases.ts';
import type { LiveArm, RoundContext } from './round-context.ts';
import { switchTo } from './switch-arm.ts';

/**
 * All arms come to life in the order of their places: each gets its copy of the database when the one before has its own,
 * and its service as soon as the copy is there, beside those that still start. Nobody is under load yet. Arms that are one
 * process share those of the control.
 */
export async function startArms(context: RoundContext, round: number, alive: LiveArm[]): Promise<void> {
  const { scenario } = context;
  const { databases } = context.stack;
  const isOneProcess = areOneProcess(scenario);
  const planned = armsOf(scenario);
  const arms = isOneProcess ? planned.slice(0, 1) : context.arms;
  context.io.emit({ kind: 'arms-starting', arms: arms.length });
  await databases?.open(
    round,
    arms.filter(({ variant }) => hasPostgres(variant)),
  );
  // Before the copies, so that they need not write out what the last round left; after them, so that all start alike.
  await databases?.checkpoint();
  const inTurn = createInTurn();
  const copies = arms.map((arm, place) =>
    inTurn(() => copyFor(context, arm, { armName: `pgsweep_a${arm.slot}`, database: `pgsweep_r${round}_a${place}` })),
  );
  const starts = copies.map(async (copy, place) => {
    try {
      await (isOneProcess ? startShared : startOwn)(context, round, await copy, alive);
    } catch (error) {
      throw causedBy(arms[place]?.variant.name ?? '', error);
    }
  });
  const checkpoint = Promise.all(copies).then(() => databases?.checkpoint());
  // All are waited for, so that none starts behind the back of the clean-up.
  const failed = (await Promise.allSettled([...starts, checkpoint])).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  // They came to life as fast as they could: whatever follows takes them in order.
  const order = isOneProcess ? planned : context.arms;
  const placeOf = ({ arm }: LiveArm): number => order.findIndex(({ name }) => name === arm.name);
  alive.sort((a, b) => placeOf(a) - placeOf(b));
  await verifyLinks(context, round, eachAlone(alive));
  context.watch.sampler?.start(
    round,
    eachAlone(alive).flatMap(({ arm, database }) => (hasPostgres(arm.variant) ? [{ arm: arm.name, database }] : [])),
  );
}

interface Copy {
  readonly arm: Arm;
  /** Its name in every round, by its place in the plan. */
  readonly armName: string;
  /** Its name in this round, by its place in it. */
  readonly database: string;
  /** Null where the database is not the bench's. */
  readonly copy: ArmDatabase | null;
  readonly copyMs: number;
}

async function copyFor(
  { stack: { databases }, io: { clock, signal } }: RoundContext,
  arm: Arm,
  { armName, database }: Pick<Copy, 'armName' | 'database'>,
): Promise<Copy> {
  signal.throwIfAborted();
  const start = clock.nowMs();
  const copy = hasPostgres(arm.variant) ? ((await databases?.copy(database, arm)) ?? null) : null;
  return { arm, armName, database, copy, copyMs: clock.nowMs() - start };
}

/** Opens the way to the database, and starts the service at its end. */
async function startService(
  context: RoundContext,
  { arm, armName, database, copy }: Copy,
): Promise<Pick<LiveArm, 'link' | 'target' | 'reach'>> {
  const { openLink, startTarget, indices, reaper } = context.stack;
  const { folder, signal } = context.io;
  const { variant } = arm;
  signal.throwIfAborted();
  const link = copy && (await openLink({ variant, databaseUrl: copy.url, reaper, signal }));
  const url = link?.url ?? null;
  const isLinked = url !== copy?.url;
  const reach = context.watch.reach?.watch({ variant, database, armName, url, isLinked }) ?? null;
  try {
    const target = await startTarget({
      target: context.scenario.target,
      variant,
      databaseUrl: url,
      search: indices && { url: indices.url, indexPrefix: indices.prefixOf(database) },
      armName,
      startingTogether: areOneProcess(context.scenario) ? 1 : context.arms.length,
      reaper,
      logFile: join(folder, 'logs', `${database}.log`),
      ...(reach && { whenReady: async (started) => void (await reach.look(started, 'As soon as it is ready')) }),
      signal,
    });
    return { link, target, reach };
  } catch (error) {
    await link?.close();
    throw error;
  }
}

/** One after the other, when all copies have been made and all services have started: only then is the machine quiet. */
async function verifyLinks(
  { io: { journal, emit, signal } }: RoundContext,
  round: number,
  alive: readonly LiveArm[],
): Promise<void> {
  for (const { arm, link } of alive) {
    signal.throwIfAborted();
    const reading = (await link?.verify()) ?? {};
    if (Object.keys(reading).length === 0) continue;
    journal.append({ type: 'link', round, arm: arm.name, variant: arm.variant.name, ...reading });
    for (const finding of linkFindings(arm.variant, reading))
      if (isWarned(finding)) emit({ kind: 'warning', warning: { kind: 'examined', finding } });
  }
}

async function startOwn(context: RoundContext, round: number, own: Copy, alive: LiveArm[]): Promise<void> {
  const { clock, journal } = context.io;
  const { arm, database, copy, copyMs } = own;
  const start = clock.nowMs();
  alive.push({ arm, database, ...(await startService(context, own)) });
  journal.append({
    type: 'arm',
    round,
    arm: arm.name,
    variant: arm.variant.name,
    repeat: arm.repeat,
    database,
    copyMs,
    startMs: clock.nowMs() - start,
    ...(copy !== null && copy.treatment.length > 0 && { treatment: maskKnownTexts(copy.treatment) }),
  });
}

/** One process for all arms, switched to each of them once: what cannot be switched is an error before anything is measured. */
async function startShared(context: RoundContext, round: number, shared: Copy, alive: LiveArm[]): Promise<void> {
  const { clock, signal, journal } = context.io;
  const { database, copyMs } = shared;
  const start = clock.nowMs();
  const started = await startService(context, shared);
  const startMs = clock.nowMs() - start;
  alive.push(...context.arms.map((arm) => ({ arm, database, ...started })));
  for (const one of alive) {
    const { name, variant, repeat } = one.arm;
    const treatment = maskKnownTexts(await switchTo(context, one, signal));
    const armOf = { type: 'arm', round, arm: name, variant: variant.name, repeat, database } as const;
    journal.append({ ...armOf, copyMs, startMs, treatment });
  }
}

/** Ends a round that went well. */
export async function closeArms(context: RoundContext, round: number, alive: LiveArm[]): Promise<void> {
  const { databases } = context.stack;
  const { counters, sampler, probes } = context.watch;
  await sampler?.stop();
  const alone = eachAlone(alive);
  await context.watch.reach?.end(round, alone, context.io.journal);
  await Promise.all(alone.map((arm) => stopArm(context, round, arm)));
  // Only now are the counters of each arm's last slice complete.
  await Promise.all(alone.map(({ database }) => counters?.afterStop(database)));
  if (databases !== null && changesIndexes(context.scenario)) {
    for (const { arm, database } of alive) {
      if (!hasPostgres(arm.variant)) continue;
      const indexes = await databases.indexes(database);
      context.io.journal.append({ type: 'indexes', round, arm: arm.name, indexes });
    }
  }
  await Promise.all(alone.flatMap(({ database }) => dropAll(context, database)));
  await probes?.endRound();
  await databases?.close();
  alive.length = 0;
}

/** Killed services that were reported: if the end of a round fails, it is ended again. */
const announced = new WeakSet<StartedTarget>();

/** Names a service that did not end by itself, once. */
async function stopArm({ io }: RoundContext, round: number, { arm, target, link }: LiveArm): Promise<void> {
  const { killedAfterMs, killed } = await target.stop().finally(() => link?.close());
  if (killedAfterMs === null || announced.has(target)) return;
  announced.add(target);
  const which = { afterMs: killedAfterMs, ...(killed && { processes: killed }) };
  io.emit({ kind: 'service-killed', arm: arm.name, ...which });
  io.journal.append({ type: 'killed', round, arm: arm.name, variant: arm.variant.name, ...which });
}

/** Ends whatever is left of a round that failed. */
export async function abandonArms(context: RoundContext, round: number, alive: LiveArm[]): Promise<void> {
  if (alive.length > 0) {
    await context.watch.sampler?.stop();
    const alone = eachAlone(alive);
    await Promise.allSettled(alone.map((arm) => stopArm(context, round, arm)));
    await Promise.allSettled(alone.flatMap(({ database }) => dropAll(context, database)));
    alive.length = 0;
  }
  await context.watch.probes?.endRound();
  // Arms that did not come to life may have left a copy, and servers.
  await context.stack.databases?.close().catch(() => {});
}

/** Arms that share a process and a database count once. */
export function eachAlone(alive: readonly LiveArm[]): LiveArm[] {
  return alive.filter(({ target }, index) => alive.findIndex((other) => other.target === target) === index);
}

/** Drops what an arm has left in the stack. */
function dropAll({ stack: { databases, indices } }: RoundContext, database: string): (Promise<void> | undefined)[] {
  return [databases?.drop(database), indices?.drop(database)];
}
