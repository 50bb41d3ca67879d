import { createRandom, seedOf } from '../../base/random.ts';

/**
 * The order of a round's arms (or groups): who is copied, started, connected to and stopped first, and so on. Drawn by the
 * seed, and balanced: over n rounds each has each place floor(n / arms) or ceil(n / arms) times, and none has a place twice
 * running. `before` are the orders of the rounds before, the last one last. Where others took part in them, the balance
 * begins again; a place twice running is avoided all the same.
 *
 * As many rounds as there are arms are a Latin square, made row by row: a row that is left is a matching of arms and
 * places that are free for them, and there always is one. Every second row is the one before backwards, as far as the
 * square allows it: a drift then strikes all alike.
 */
export function drawPlaces<Name extends string | number>(
  names: readonly Name[],
  before: readonly (readonly Name[])[],
  seed: number,
): Name[] {
  const random = createRandom(seed);
  const had = roundsOfSquare(names, before);
  const last = before.at(-1) ?? [];
  const wishes = new Map(
    random.shuffle(names).map((name) => {
      const taken = new Set([last, ...had].map((order) => order.indexOf(name)));
      const free = names.map((_, place) => place).filter((place) => names.length === 1 || !taken.has(place));
      const mirrored = had.length % 2 === 1 ? names.length - 1 - last.indexOf(name) : -1;
      return [name, random.shuffle(free).sort((a, b) => Number(b === mirrored) - Number(a === mirrored))] as const;
    }),
  );
  return matched(wishes, names.length);
}

/** The orders that this round's square has already. */
function roundsOfSquare<Name>(names: readonly Name[], before: readonly (readonly Name[])[]): (readonly Name[])[] {
  const isSame = (order: readonly Name[]): boolean =>
    order.length === names.length && names.every((name) => order.includes(name));
  const alike = before.length - 1 - before.findLastIndex((order) => !isSame(order));
  const begun = alike % names.length;
  return begun === 0 ? [] : before.slice(-begun);
}

/** Gives each one a place that it wishes, the first one where that can be: augmenting paths (Kuhn 1955). */
function matched<Name>(wishes: ReadonlyMap<Name, readonly number[]>, places: number): Name[] {
  const owners: (Name | undefined)[] = Array.from({ length: places });
  const settle = (name: Name, tried: Set<number>): boolean => {
    const open = (wishes.get(name) ?? []).filter((place) => !tried.has(place));
    const direct = open.find((place) => owners[place] === undefined);
    for (const place of direct === undefined ? open : [direct]) {
      tried.add(place);
      const owner = owners[place];
      if (owner !== undefined && !settle(owner, tried)) continue;
      owners[place] = name;
      return true;
    }
    return false;
  };
  for (const name of wishes.keys()) settle(name, new Set());
  return owners.filter((name) => name !== undefined);
}

/** The order of a round's arms by name; of its groups by number, where there are several. */
export interface RoundPlaces {
  readonly arms: readonly string[];
  readonly groups?: readonly number[];
}

/** The places of a session's rounds, kept from round to round. */
export interface Places {
  /** Draws those of a round. */
  draw(round: number, arms: readonly string[], groups: number): RoundPlaces;
  /** They were had: the round is complete. */
  take(places: RoundPlaces): void;
}

/** `before`: the places of the rounds of a run that is resumed. */
export function createPlaces(seed: number, before: readonly RoundPlaces[] = []): Places {
  const had = [...before];
  return {
    draw(round, arms, groups) {
      const seedFor = (what: string): number => seedOf(seed, round, what);
      const armsBefore = had.map((places) => places.arms);
      const groupsBefore = had.map((places) => places.groups ?? []);
      const numbers = Array.from({ length: groups }, (_, group) => group);
      return {
        arms: drawPlaces(arms, armsBefore, seedFor('places')),
        ...(groups > 1 && { groups: drawPlaces(numbers, groupsBefore, seedFor('places of groups')) }),
      };
    },
    take: (places) => void had.push(places),
  };
}
