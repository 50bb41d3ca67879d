import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { timeLimit } from '../../../src/base/async/time-limit.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));
}

describe('a time limit', () => {
  it('ends, whatever the garbage collector does meanwhile', async () => {
    const reason = aborted(timeLimit(300, new AbortController().signal));
    const collecting = setInterval(collectGarbage, 20);
    try {
      expect(await reason).toMatchObject({ name: 'TimeoutError', message: 'no end within 300 ms' });
    } finally {
      clearInterval(collecting);
    }
  }, 10_000);

  it('ends with any other signal, for its reason', async () => {
    const other = new AbortController();
    const reason = aborted(timeLimit(60_000, undefined, other.signal));
    other.abort(new Error('interrupted'));
    expect(await reason).toEqual(new Error('interrupted'));
  });
});
