import { describe, expect, it } from 'vitest';
import type { ScriptPart, ScriptSpec, StepSpec } from '../../../../src/journal/script-spec.ts';
import { compileScript, type ScriptContext } from '../../../../src/measure/load/script/script.ts';
import type { ScriptSession } from '../../../../src/measure/load/script/session.ts';

const context: ScriptContext = { seed: 1, url: 'http://127.0.0.1:3000', unique: () => 7, rows: null };

function step(path: string, more: Partial<StepSpec> = {}): ScriptPart {
  return { kind: 'step', step: { name: path, method: 'GET', path, headers: {}, ...more } };
}

function script(parts: readonly ScriptPart[], more: Partial<ScriptContext> = {}) {
  return compileScript({ kind: 'script', parts }, { ...context, ...more });
}

interface Sent {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: readonly (readonly [string, string])[];
}

/** Sends the next request, and answers it. */
function send(user: ScriptSession, { status = 200, body = '', headers = [] }: Sent = {}) {
  const request = user.next();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const lacks = user.answered({ status, body: text, headers }, status < 300);
  return { ...request, lacks };
}

describe('a user of a script', () => {
  it('goes through its steps over and over', () => {
    const user = script([step('/a'), step('/b')]).openSession(0);
    expect([1, 2, 3].map(() => send(user).path)).toEqual(['/a', '/b', '/a']);
  });

  it('logs in once, and again as long as that fails', () => {
    const login = step('/login', { once: true, method: 'POST', capture: { key: { kind: 'json', path: '$.token' } } });
    const list = step('/list', { headers: { authorization: 'Bearer ${captured key}' } });
    const user = script([login, list]).openSession(0);
    expect(send(user, { status: 503 })).toMatchObject({ path: '/login', lacks: null });
    expect(send(user, { body: {} })).toMatchObject({ path: '/login' });
    expect(send(user, { body: { token: 'abc' } })).toMatchObject({ path: '/login', lacks: null });
    for (const _ of [1, 2])
      expect(send(user)).toMatchObject({ path: '/list', headers: { authorization: 'Bearer abc' } });
  });

  it('is a new one on each way through it, where the scenario says so', () => {
    const login = step('/login', { once: true, capture: { key: { kind: 'json', path: '$.key' } } });
    const list = step('/list?key=${captured key}');
    const ways = (sessions?: 'new') => {
      const parts = { kind: 'script' as const, parts: [step('/'), login, list], ...(sessions && { sessions }) };
      const user = compileScript(parts, context).openSession(0);
      return Array.from({ length: 6 }, (_, at) => {
        const { path, headers } = send(user, { body: { key: at }, headers: [['set-cookie', `at=${at}`]] });
        return [path, headers?.cookie];
      });
    };
    expect(ways('new')).toEqual([
      ['/', undefined],
      ['/login', 'at=0'],
      ['/list?key=1', 'at=1'],
      ['/', undefined],
      ['/login', 'at=3'],
      ['/list?key=4', 'at=4'],
    ]);
    expect(ways().slice(3)).toEqual([
      ['/', 'at=2'],
      ['/list?key=1', 'at=3'],
      ['/', 'at=4'],
    ]);
  });

  it('uses what it has captured of answers', () => {
    const create = step('/items', {
      method: 'POST',
      capture: {
        place: { kind: 'header', name: 'location' },
        id: { kind: 'json', path: '$.items[0].id' },
        word: { kind: 'json', path: '$.word' },
      },
    });
    const use = step('${captured place}', {
      method: 'PUT',
      headers: { 'x-word': '${captured word}' },
      body: { id: '${captured id}', text: 'id ${captured id}' },
    });
    const find = step('/find/${captured word}?q=${captured word}');
    const user = script([create, use, find]).openSession(0);
    send(user, {
      body: { items: [{ id: 5 }], word: 'a&b/ü\r\n' },
      headers: [['location', 'http://elsewhere/items/5?full=1']],
    });
    expect(send(user)).toMatchObject({
      path: '/items/5?full=1',
      headers: { 'x-word': 'a&b/ü  ' },
      body: '{"id":5,"text":"id 5"}',
    });
    expect(send(user).path).toBe('/find/a%26b%2F%C3%BC%0D%0A?q=a%26b%2F%C3%BC%0D%0A');
  });

  it('of a service below a path keeps its cookies, and captures the places below that path', () => {
    const create = step('/items', { capture: { place: { kind: 'header', name: 'location' } } });
    const places = ['/api/items/5', 'http://elsewhere/api/items/6?a=1', '/items/7', '/api2/items/8'];
    const user = script([create, step('${captured place}')], { url: 'http://127.0.0.1:3000/api/' }).openSession(0);
    const sent = places.map((place) => {
      const headers = [['location', place], ['set-cookie', 'sid=1; Path=/api']] as const; // biome-ignore format: pairs
      send(user, { headers });
      const { path, headers: { cookie } = {} } = send(user);
      return [path, cookie];
    });
    expect(sent.map(([path]) => path)).toEqual(['/items/5', '/items/6?a=1', '/items/7', '/api2/items/8']);
    expect(new Set(sent.map(([, cookie]) => cookie))).toEqual(new Set(['sid=1']));
  });

  it('of requests that are drawn sends those that need a value once it has that, and then by weight', () => {
    const way = (weight: number, path: string, more: Partial<StepSpec> = {}) => ({
      weight,
      steps: [{ name: path, method: 'GET', path, headers: {}, ...more }],
    });
    const login = way(1, '/login', { method: 'POST', capture: { key: { kind: 'json', path: '$.key' } } });
    const ways = [login, way(8, '/list', { headers: { key: '${captured key}' } }), way(1, '/health')];
    const user = script([{ kind: 'choice', ways }]).openSession(0);
    const sent = new Map<string, number>();
    let key: number | null = null;
    for (let at = 0; at < 2000; at++) {
      // The service is not ready at first.
      const { path, headers } = send(user, at < 10 ? { status: 503 } : { body: { key: at } });
      if (path === '/list') expect(headers?.key).toBe(String(key));
      if (path === '/login' && at >= 10) key = at;
      if (key !== null) sent.set(path, (sent.get(path) ?? 0) + 1);
    }
    expect(sent.get('/list')).toBeGreaterThan(1500);
    expect(sent.get('/login')).toBeGreaterThan(100);
  });

  it.each<[string, StepSpec['capture'] & object, Sent, string]>([
    [
      'a header',
      { a: { kind: 'header', name: 'x-id' } },
      {},
      '"a" could not be captured: the answer has no header x-id',
    ],
    [
      'JSON',
      { a: { kind: 'json', path: '$.id' } },
      { body: '<p>' },
      '"a" could not be captured: the body of the answer is no JSON',
    ],
    [
      'a value',
      { a: { kind: 'json', path: '$.id' } },
      { body: {} },
      '"a" could not be captured: there is nothing at $.id',
    ],
    [
      'one value',
      { a: { kind: 'json', path: '$.id' } },
      { body: { id: [1] } },
      '"a" could not be captured: at $.id is no single value',
    ],
  ])('says what an answer lacks, and begins anew: %s', (_, capture, answer, lacks) => {
    const user = script([step('/a', { capture }), step('/b/${captured a}')]).openSession(0);
    expect(send(user, answer).lacks).toBe(lacks);
    expect(send(user).path).toBe('/a');
  });

  it('goes on after a step that failed and has captured nothing', () => {
    const user = script([step('/a'), step('/b')]).openSession(0);
    expect([send(user, { status: 500 }).path, send(user).path]).toEqual(['/a', '/b']);
    user.next();
    user.failed();
    expect(send(user).path).toBe('/b');
  });

  it('keeps cookies for itself, by their paths and until they are taken away, beside those of a step', () => {
    const all = script([
      step('/a/x'),
      step('/b'),
      step('/a/y', { headers: { Cookie: 'own=1; sid=old' } }),
      step('/a/z'),
    ]);
    const [one, other] = [all.openSession(0), all.openSession(1)];
    const set = [
      ['set-cookie', 'sid=1; HttpOnly'],
      ['set-cookie', 'in-a=2; Path=/a'],
      ['set-cookie', 'foreign=3; Domain=example.com'],
    ] as const;
    expect(send(one, { headers: set }).headers).toEqual({});
    // A cookie without a path is for the folder of its request.
    expect(send(one).headers).toEqual({});
    expect(send(one).headers).toEqual({ Cookie: 'own=1; sid=1; in-a=2' });
    expect(send(one).headers).toEqual({ cookie: 'sid=1; in-a=2' });
    send(one, { headers: [['set-cookie', 'sid=; Max-Age=0']] });
    for (const _ of [1, 2]) send(one);
    expect(send(one).headers).toEqual({ cookie: 'in-a=2' });
    expect([1, 2, 3, 4].map(() => send(other).headers?.cookie)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('has a row of data, the same as another where there are too few', () => {
    const rows = [
      { name: 'anna', 'e mail': 'a@b.c' },
      { name: 'bo', 'e mail': '+&' },
    ];
    const login = step('/login', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'user=${data name}&mail=${data e mail}',
    });
    const all = script([login], { rows });
    expect([0, 1, 2].map((user) => send(all.openSession(user)).body)).toEqual([
      'user=anna&mail=a%40b.c',
      'user=bo&mail=%2B%26',
      'user=anna&mail=a%40b.c',
    ]);
  });

  it('goes one of several ways, by weight', () => {
    const part: ScriptPart = {
      kind: 'choice',
      ways: [
        { weight: 3, steps: [{ name: 'a', method: 'GET', path: '/a', headers: {} }] },
        {
          weight: 1,
          steps: ['/b', '/c'].map((path) => ({ name: path, method: 'GET', path, headers: {} })),
        },
      ],
    };
    const user = script([part]).openSession(0);
    const paths = Array.from({ length: 4000 }, () => send(user).path);
    const count = (path: string) => paths.filter((one) => one === path).length;
    // Of four ways through the script three are /a, and one is /b and /c.
    expect(count('/a') / 4000).toBeCloseTo(0.6, 1);
    expect(paths.every((path, at) => path !== '/b' || at === 3999 || paths[at + 1] === '/c')).toBe(true);
  });

  it('draws from random numbers of its own, the same for the same seed', () => {
    const parts = [step('/${integer 1 1000000}', { think: { kind: 'exponential', meanMs: 100 } })];
    const of = (user: number, seed = 1) => {
      const session = script(parts, { seed }).openSession(user);
      return [session.startMs, ...[1, 2, 3].flatMap(() => [send(session).path, session.thinkMs()])];
    };
    expect(of(0)).toEqual(of(0));
    expect(of(1)).not.toEqual(of(0));
    expect(of(0, 2)).not.toEqual(of(0));
    expect(of(0)[0]).toBeLessThan(100);
  });

  describe('under way', () => {
    const pause = (ms: number) => ({ think: { kind: 'constant', ms } as const });
    /** When each step is sent by this many users in the first `untilMs`, where an answer takes no time; what lies behind them is not counted. */
    const countsOf = (parts: readonly ScriptPart[], untilMs: number, more: Partial<ScriptSpec> = {}) => {
      const counts = new Map<string, number>();
      const source = compileScript({ kind: 'script', parts, ...more }, context);
      for (let number = 0; number < 300; number++) {
        const user = source.openSession(number, { underWay: true });
        while (user.isBehind) send(user, { body: { id: number } });
        for (let atMs = user.startMs; atMs < untilMs; atMs += user.thinkMs()) {
          const { path } = send(user, { body: { id: number } });
          counts.set(path, (counts.get(path) ?? 0) + 1);
        }
      }
      return counts;
    };

    it('sends all steps alike from the first moment on, however late in the script its long pause is', () => {
      const counts = countsOf([step('/a', pause(3000)), step('/b', pause(50)), step('/c', pause(50))], 5000);
      // 300 users, 5 s, a way of 3.1 s: 483.9 of each.
      for (const path of ['/a', '/b', '/c']) expect((counts.get(path) ?? 0) / 483.9).toBeCloseTo(1, 1);
    });

    it('goes each of several ways as often as its weight says', () => {
      const ways = [
        { weight: 3, steps: [{ name: 'l', method: 'GET', path: '/l', headers: {}, ...pause(100) }] },
        { weight: 1, steps: [{ name: 'r', method: 'GET', path: '/r', headers: {}, ...pause(400) }] },
      ];
      const counts = countsOf([{ kind: 'choice', ways }], 2000);
      // A way takes 175 ms in the mean, three of four by /l.
      const ways300 = (300 * 2000) / 175;
      expect(Math.abs((counts.get('/l') ?? 0) / (0.75 * ways300) - 1)).toBeLessThan(0.1);
      expect(Math.abs((counts.get('/r') ?? 0) / (0.25 * ways300) - 1)).toBeLessThan(0.1);
    });

    it('has its cookies and what it captured, and has logged in', () => {
      const login = step('/login', { once: true, capture: { id: { kind: 'json', path: '$.id' } }, ...pause(10) });
      const parts = [
        step('/open'),
        step('/see/${captured id}', pause(1000)),
        login,
        step('/end/${captured id}', pause(10)),
      ];
      const counts = countsOf(parts, 3000);
      expect(counts.has('/login')).toBe(false);
      expect(counts.has('/see/')).toBe(false);
      expect(counts.get('/see/7')).toBeGreaterThan(0);
      expect(counts.get('/end/7')).toBeGreaterThan(0);
    });

    it('logs in as often as it logs out, where each way is a new user', () => {
      const login = step('/login', { once: true, capture: { id: { kind: 'json', path: '$.id' } }, ...pause(200) });
      const counts = countsOf([login, step('/list', pause(2000)), step('/bye', pause(200))], 4800, { sessions: 'new' });
      for (const path of ['/login', '/list', '/bye']) expect((counts.get(path) ?? 0) / 600).toBeCloseTo(1, 1);
    });

    it('begins with the first step where what lies behind fails', () => {
      const login = step('/login', { once: true, capture: { id: { kind: 'json', path: '$.id' } } });
      const user = script([login, step('/list', pause(1000))]).openSession(0, { underWay: true });
      expect(user.isBehind).toBe(true);
      expect(send(user, { status: 503 }).path).toBe('/login');
      expect(user.isBehind).toBe(false);
      expect(send(user).path).toBe('/login');
    });
  });

  it('wants only the bodies that it captures from', () => {
    const user = script([step('/a', { capture: { id: { kind: 'json', path: '$.id' } } }), step('/b')]).openSession(0);
    user.next();
    expect(user.wantsBody()).toBe(true);
    user.answered({ status: 200, body: '{"id":1}', headers: [] }, true);
    user.next();
    expect(user.wantsBody()).toBe(false);
  });
});
