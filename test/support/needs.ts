import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import type { Lacking } from './lacking.ts';
import { requiredThings } from './required.ts';
import type { Found, Thing, Things } from './things.ts';

/** Options that skip a test or a suite for what this machine lacks; none where it has all. */
export interface SkipOptions {
  readonly skip?: true;
  readonly meta?: { readonly lacking: Lacking };
}

export interface Needed<T> {
  /** For `describe(name, needed.orSkip, ...)`, `it(name, { ...needed.orSkip, timeout }, ...)`. */
  readonly orSkip: SkipOptions;
  /** Whether it is here: what stands beside skipped tests (`beforeAll`, servers) asks for this. */
  readonly isHere: boolean;
  /** The thing that was named first. Throws where it is not here. */
  readonly has: T;
}

/**
 * What tests need that this machine may lack: `const java = await needs('opensearch')` at the top of a test file. What
 * is lacking skips them, with the reason; where PGSWEEP_TEST_REQUIRE names it (`opensearch,docker,versions`), it throws,
 * and the file fails.
 */
export async function needs<T extends Thing>(thing: T, ...others: readonly Thing[]): Promise<Needed<Things[T]>> {
  const required = requiredThings(process.env.PGSWEEP_TEST_REQUIRE ?? '');
  const [first, ...rest] = await Promise.all([ask(thing), ...others.map(ask)]);
  const found = [first, ...rest] as const;
  const things = [thing, ...others];
  return neededOf(things, found as readonly [Found<Things[T]>, ...Found<unknown>[]], required);
}

/** Decides it: the first that is lacking gives the reason. */
export function neededOf<T>(
  things: readonly Thing[],
  found: readonly [Found<T>, ...Found<unknown>[]],
  required: ReadonlySet<Thing>,
): Needed<T> {
  const missing = found.flatMap((one, index): Lacking[] => {
    const thing = things[index];
    return 'lacks' in one && thing !== undefined ? [{ thing, why: one.lacks }] : [];
  });
  const broken = missing.find(({ thing }) => required.has(thing));
  if (broken) throw new Error(`PGSWEEP_TEST_REQUIRE asks for ${broken.thing}, and it is not here: ${broken.why}`);
  const [lacking] = missing;
  return {
    orSkip: lacking === undefined ? {} : { skip: true, meta: { lacking } },
    isHere: lacking === undefined,
    get has() {
      const [first] = found;
      if ('has' in first) return first.has;
      throw new Error(`${things[0]} is not here: ${first.lacks}`);
    },
  };
}

/**
 * Not by `fetch`: its answer has to begin within five minutes, and Maven may take as long. On a connection of its own: one that
 * is kept may be closed while this process loads modules.
 */
function ask(thing: Thing): Promise<Found<never>> {
  return new Promise((found, failed) => {
    const url = `${inject('lookOnceUrl')}/${encodeURIComponent(thing)}`;
    const asked = request(url, { agent: false }, async (response) => {
      const body = await text(response);
      if (response.statusCode === 200) found(JSON.parse(body));
      else failed(new Error(body));
    });
    asked.on('error', failed).end();
  });
}
