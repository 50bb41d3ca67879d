import { describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../../../src/base/random.ts';
import { createScheduler, type Ticket } from '../../../../src/measure/load/bulk/scheduler.ts';

const keys = (id: string, ...references: string[]) => ({ ids: [id], references });

/** What may go now, in order. */
function allReady<T>(scheduler: { next(): Ticket<T> | undefined }): Ticket<T>[] {
  const tickets: Ticket<T>[] = [];
  for (let ticket = scheduler.next(); ticket; ticket = scheduler.next()) tickets.push(ticket);
  return tickets;
}

describe('the scheduler', () => {
  it('lets go what refers to nothing unfinished, past what has to wait', () => {
    const scheduler = createScheduler<string>();
    scheduler.add('a', keys('a'));
    scheduler.add('b', keys('b', 'a'));
    scheduler.add('c', keys('c', 'elsewhere'));
    const [a, c] = allReady(scheduler);
    expect([a?.item, c?.item]).toEqual(['a', 'c']);
    if (a) scheduler.done(a);
    expect(allReady(scheduler).map(({ item }) => item)).toEqual(['b']);
  });

  it('waits for all of several references, each by any of its ids', () => {
    const scheduler = createScheduler<string>();
    scheduler.add('school', { ids: ['school 1', 'organization 1'], references: [] });
    scheduler.add('year', keys('year'));
    scheduler.add('rating', keys('rating', 'organization 1', 'school 1', 'year'));
    const [school, year] = allReady(scheduler);
    if (school) scheduler.done(school);
    expect(scheduler.next()).toBeUndefined();
    if (year) scheduler.done(year);
    expect(scheduler.next()?.item).toBe('rating');
    expect(scheduler.unfinished).toBe(1);
  });

  it('hands out again what was not finished, ahead of the others, and holds back what waits for it', () => {
    const scheduler = createScheduler<string>();
    scheduler.add('a', keys('a'));
    scheduler.add('b', keys('b', 'a'));
    const a = scheduler.next();
    scheduler.add('c', keys('c'));
    if (a) scheduler.again(a);
    expect(allReady(scheduler).map(({ item }) => item)).toEqual(['a', 'c']);
  });

  it('sends what stands twice in its order, and what refers to it after the second', () => {
    const scheduler = createScheduler<string>();
    scheduler.add('first', keys('x'));
    scheduler.add('second', keys('x'));
    scheduler.add('referrer', keys('r', 'x'));
    const order: string[] = [];
    for (let ticket = scheduler.next(); ticket; ticket = scheduler.next()) {
      order.push(ticket.item);
      expect(scheduler.next()).toBeUndefined();
      scheduler.done(ticket);
    }
    expect(order).toEqual(['first', 'second', 'referrer']);
  });

  it('does not wait for itself', () => {
    const scheduler = createScheduler<string>();
    scheduler.add('a', keys('a', 'a'));
    expect(scheduler.next()?.item).toBe('a');
  });

  it('never lets anything go before its references, and always comes to its end, whatever the graph', () => {
    for (let seed = 0; seed < 60; seed++) playThrough(createRandom(seed));
  });
});

interface Thing {
  readonly number: number;
  readonly references: number[];
}

/** A random graph, taken in bit by bit; random ones of what is under way finish, or are to be sent again. */
function playThrough(random: Random): void {
  const count = random.integer(1, 120);
  const window = random.integer(1, 40);
  const chance = random.next();
  const things: Thing[] = Array.from({ length: count }, (_, number) => ({
    number,
    references:
      number > 0 && random.next() < chance
        ? Array.from({ length: random.integer(1, 4) }, () => random.integer(Math.max(0, number - 15), number - 1))
        : [],
  }));
  const scheduler = createScheduler<Thing>();
  const finished = new Set<number>();
  const underWay: Ticket<Thing>[] = [];
  let taken = 0;
  for (let steps = 0; finished.size < count; steps++) {
    expect(steps).toBeLessThan(count * 20);
    while (taken < count && scheduler.unfinished < window) {
      const thing = things[taken++] as Thing;
      scheduler.add(thing, { ids: [`${thing.number}`], references: thing.references.map(String) });
    }
    for (const ticket of allReady(scheduler)) {
      expect(ticket.item.references.filter((reference) => !finished.has(reference))).toEqual([]);
      underWay.push(ticket);
    }
    // Whatever waits, something is always under way.
    expect(underWay.length).toBeGreaterThan(0);
    const [ticket] = underWay.splice(random.integer(0, underWay.length - 1), 1);
    if (ticket === undefined) continue;
    if (random.next() < 0.2) scheduler.again(ticket);
    else {
      expect(finished.has(ticket.item.number)).toBe(false);
      finished.add(ticket.item.number);
      scheduler.done(ticket);
    }
  }
  expect(scheduler.unfinished).toBe(0);
}
