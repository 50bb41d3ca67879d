import type { Connection, ConnectionLoad } from '../connection.ts';
import type { Answered, ConnectionCounts, Failed } from '../connection-outcomes.ts';
import type { WireRequest } from '../request-text.ts';
import type { GeneratedRequest } from '../requests/generated-request.ts';
import type { ScriptSession } from './session.ts';

/** This much of a body is looked at, in bytes. */
export const MOST_BODY_BYTES = 1024 * 1024;

/** When a user sends: `sending` where the next step follows the answer at once. */
type Pace = Pick<ConnectionLoad, 'sending' | 'rested'>;

/** The stream of load that users belong to. */
export interface UsersOf extends Pace {
  readonly counts: ConnectionCounts;
  readonly keptHeaders: readonly string[];
  next(request: GeneratedRequest): WireRequest;
  broken(error: unknown): void;
  expects(status: number, name: number): boolean;
  wantsBody(status: number, name: number): boolean;
  /** Missing part of an answer's body, in a sentence; null if the answer failed by its status. */
  lackedBy(answer: Answered): string | null;
  /** `lacks`: what the script needs and the answer has not, which makes it a failure. */
  answered(answer: Answered, lacks: string | null): void;
  failed(failure: Failed): void;
  pauseMs(waitedMs: number): number;
}

/** Load of one connection in a script: the steps of one user, at the stream's pace or at its own. */
export class UserLoad implements ConnectionLoad {
  readonly mostBodyBytes = MOST_BODY_BYTES;
  readonly keptHeaders: readonly string[];
  readonly counts: ConnectionCounts;
  private readonly stream: UsersOf;
  private readonly session: ScriptSession;
  private readonly pace: Pace;

  constructor(stream: UsersOf, session: ScriptSession, pace: Pace = stream) {
    this.stream = stream;
    this.session = session;
    this.pace = pace;
    this.counts = stream.counts;
    this.keptHeaders = stream.keptHeaders;
  }

  get sending(): boolean {
    return this.pace.sending;
  }

  next(): WireRequest {
    return this.stream.next(this.session.next());
  }

  broken(error: unknown): void {
    this.stream.broken(error);
  }

  wantsBody(status: number, name: number): boolean {
    return this.session.wantsBody() || this.stream.wantsBody(status, name);
  }

  answered(answer: Answered): void {
    const lacks = this.stream.lackedBy(answer);
    const isExpected = lacks === null && this.stream.expects(answer.status, answer.name);
    const lacksToo = this.session.answered(answer, isExpected);
    this.stream.answered(answer, lacks ?? lacksToo);
  }

  failed(failure: Failed): void {
    this.session.failed();
    this.stream.failed(failure);
  }

  pauseMs(waitedMs: number): number {
    return this.stream.pauseMs(waitedMs);
  }

  rested(connection: Connection): void {
    this.pace.rested(connection);
  }
}
