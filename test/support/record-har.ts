import type { CDPSession, Page } from 'puppeteer-core';

interface Hop {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly atS: number;
  readonly wallS: number;
  endS: number;
  status: number;
  answer: Record<string, string>;
  /** What went over the wire: with cookies, and the status that the server sent. */
  sentHeaders?: Record<string, string>;
  wire?: { readonly status: number; readonly headers: Record<string, string> };
  content?: { readonly mimeType: string; readonly text?: string; readonly encoding?: string };
}

/**
 * Records all that a page sends from now on, as HAR 1.2 with what the browser's network tab has: headers as they went over
 * the wire, redirects, 304, bodies. Returns the HAR so far as text.
 */
export async function recordHar(page: Page): Promise<() => Promise<string>> {
  const cdp = await page.createCDPSession();
  const hops: Hop[] = [];
  const bodies: Promise<void>[] = [];
  // Of each hop of a request one, in their order.
  const extras = new Map<string, { sent: Record<string, string>[]; received: NonNullable<Hop['wire']>[] }>();
  const extra = (id: string) => {
    const found = extras.get(id) ?? { sent: [], received: [] };
    extras.set(id, found);
    return found;
  };
  const last = (id: string): Hop | undefined => hops.findLast((hop) => hop.id === id);
  cdp.on('Network.requestWillBeSent', ({ requestId, request, timestamp, wallTime, redirectResponse }) => {
    const before = last(requestId);
    if (before !== undefined && redirectResponse !== undefined) {
      before.status = redirectResponse.status;
      before.answer = redirectResponse.headers;
      before.endS = timestamp;
    }
    const { method, url, headers, postData } = request;
    const hop = { id: requestId, method, url, headers, body: postData, atS: timestamp, wallS: wallTime };
    hops.push({ ...hop, endS: timestamp, status: 0, answer: {} });
  });
  cdp.on('Network.requestWillBeSentExtraInfo', ({ requestId, headers }) => {
    extra(requestId).sent.push(headers);
  });
  cdp.on('Network.responseReceivedExtraInfo', ({ requestId, headers, statusCode }) => {
    extra(requestId).received.push({ status: statusCode, headers });
  });
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    const hop = last(requestId);
    if (hop === undefined) return;
    hop.status = response.status;
    hop.answer = response.headers;
    hop.content = { mimeType: response.mimeType };
  });
  cdp.on('Network.loadingFinished', ({ requestId, timestamp }) => {
    const hop = last(requestId);
    if (hop === undefined) return;
    hop.endS = timestamp;
    bodies.push(readBody(cdp, hop));
  });
  await cdp.send('Network.enable');
  return async () => {
    await Promise.all(bodies);
    for (const [id, { sent, received }] of extras) {
      for (const [at, hop] of hops.filter((one) => one.id === id).entries()) {
        const [sentHeaders, wire] = [sent[at], received[at]];
        if (sentHeaders !== undefined) hop.sentHeaders = sentHeaders;
        if (wire !== undefined) hop.wire = wire;
      }
    }
    const creator = { name: 'the tests of pgsweep', version: '1' };
    return JSON.stringify({ log: { version: '1.2', creator, entries: hops.map(entryOf) } }, null, 1);
  };
}

async function readBody(cdp: CDPSession, hop: Hop): Promise<void> {
  try {
    const { body, base64Encoded } = await cdp.send('Network.getResponseBody', { requestId: hop.id });
    hop.content = {
      mimeType: hop.content?.mimeType ?? '',
      text: body,
      ...(base64Encoded && { encoding: 'base64' }),
    };
  } catch {
    // The page has gone on, and the browser has let go of it.
  }
}

function entryOf({ wire, sentHeaders, ...hop }: Hop): object {
  return {
    startedDateTime: new Date(hop.wallS * 1000).toISOString(),
    time: (hop.endS - hop.atS) * 1000,
    request: {
      method: hop.method,
      url: hop.url,
      httpVersion: 'HTTP/1.1',
      headers: pairs(sentHeaders ?? hop.headers),
      ...(hop.body !== undefined && {
        postData: { mimeType: headerOf(sentHeaders ?? hop.headers, 'content-type'), text: hop.body },
      }),
    },
    response: {
      status: wire?.status ?? hop.status,
      headers: pairs(wire?.headers ?? hop.answer),
      content: hop.content ?? { mimeType: '' },
    },
    // What did not go over the wire came out of the cache.
    ...(wire === undefined && { _fromCache: 'memory' }),
  };
}

/** Several headers of one name are lines of one text. */
function pairs(headers: Record<string, string>): object[] {
  return Object.entries(headers).flatMap(([name, value]) => value.split('\n').map((one) => ({ name, value: one })));
}

function headerOf(headers: Record<string, string>, wanted: string): string {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';
}
