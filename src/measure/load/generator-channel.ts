import { PgsweepError } from '../../base/errors.ts';
import type { WatchedProcess } from '../../base/process/child-process.ts';
import type { Answer, FromGenerator, News, StreamMessage, ToGenerator } from './generator-messages.ts';
import type { LoadJob, LoadStream } from './load-generator.ts';

export interface AskOptions {
  readonly hear?: (news: News) => void;
  readonly signal?: AbortSignal;
}

/** Messages to and from the generator's process. */
export interface GeneratorChannel {
  /** Resolves when the process is there. */
  readonly ready: Promise<void>;
  tell(message: ToGenerator): void;
  /**
   * Waits for the answer of the kind. Throws what the generator failed with, the signal's reason once the generator has
   * stopped, and PgsweepError `load` when its process has ended.
   */
  ask<K extends Answer['kind']>(message: StreamMessage, kind: K, options?: AskOptions): Promise<AnswerOf<K>>;
}

type AnswerOf<K> = Extract<Answer, { readonly kind: K }>;

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: unknown): void;
  readonly hear: AskOptions['hear'];
}

/** One listener for all, since there are thousands of turns: at most one question a stream is open at a time. */
export function openChannel(
  generator: Pick<WatchedProcess, 'child' | 'exited' | 'tail'>,
  onSetAside: (below: number) => void,
): GeneratorChannel {
  const waiting = new Map<number, Waiting>();
  let ended: PgsweepError | null = null;
  let isReady = (): void => {};
  let isNotReady = (_error: unknown): void => {};
  const ready = new Promise<void>((resolve, reject) => {
    isReady = resolve;
    isNotReady = reject;
  });
  generator.child.on('message', (message: FromGenerator) => {
    if (message.kind === 'ready') return isReady();
    if (message.kind === 'unique') return onSetAside(message.below);
    const asked = waiting.get(message.stream);
    if (isNews(message)) return asked?.hear?.(message);
    waiting.delete(message.stream);
    asked?.resolve(message);
  });
  void generator.exited.then(({ code, signal }) => {
    ended = new PgsweepError('load', `the load generator ended (${signal ?? `exit code ${code}`})`, {
      hint: `Its last lines:\n${generator.tail().join('\n')}`,
    });
    isNotReady(ended);
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  });
  const tell = (message: ToGenerator): void => {
    // A generator that has just died is reported by whoever waits for its answer.
    if (generator.child.connected) generator.child.send(message, () => {});
  };
  const answerTo = (message: StreamMessage, hear: AskOptions['hear']): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (ended !== null) return reject(ended);
      waiting.set(message.stream, { resolve, reject, hear });
      tell(message);
    });
  return {
    ready,
    tell,
    async ask(message, kind, { hear, signal } = {}) {
      signal?.throwIfAborted();
      const abort = (): void => tell({ kind: 'abort', stream: message.stream });
      signal?.addEventListener('abort', abort, { once: true });
      try {
        const answer = await answerTo(message, hear);
        if (isOfKind(answer, kind)) return answer;
        signal?.throwIfAborted();
        throw failureOf(answer);
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    },
  };
}

/** A stream of the generator's, whose load it makes. */
export async function openStream(channel: GeneratorChannel, job: LoadJob, stream: number): Promise<LoadStream> {
  await channel.ask({ kind: 'open', stream, job }, 'opened');
  return {
    async turn(turn, { onLive, onSteady, ends, signal } = {}) {
      const end = (): void => channel.tell({ kind: 'end', stream });
      ends?.addEventListener('abort', end, { once: true });
      try {
        const { result } = await channel.ask({ kind: 'turn', stream, turn }, 'turned', {
          hear(news) {
            if (news.kind === 'rate') onLive?.(news.requestsPerSecond);
            if (news.kind === 'steady') onSteady?.();
          },
          ...(signal && { signal }),
        });
        return result;
      } finally {
        ends?.removeEventListener('abort', end);
      }
    },
    async close() {
      const { result } = await channel.ask({ kind: 'close', stream }, 'closed');
      return result;
    },
  };
}

const newsKinds = { rate: true, steady: true, 'bulk-progress': true } satisfies Record<News['kind'], true>;

function isNews(message: Answer | News): message is News {
  return message.kind in newsKinds;
}

function isOfKind<K extends Answer['kind']>(answer: Answer, kind: K): answer is AnswerOf<K> {
  return answer.kind === kind;
}

function failureOf(answer: Answer): Error {
  if (answer.kind !== 'failed') return new Error(`unexpected message ${answer.kind} from the load generator`);
  const { code, message, hint } = answer;
  return code === null ? new Error(message) : new PgsweepError(code, message, hint === null ? {} : { hint });
}
