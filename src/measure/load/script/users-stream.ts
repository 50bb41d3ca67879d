import type { UsersLevel } from '../../../journal/load-record.ts';
import type { Connection } from '../connection.ts';
import { connectAll } from '../connections.ts';
import type { LoadJob, LoadStream } from '../load-generator.ts';
import type { RequestSource } from '../request-source.ts';
import { createTally } from '../tally.ts';
import { TurnStream } from '../turn-stream.ts';
import type { ScriptSource } from './script-source.ts';
import type { ScriptSession } from './session.ts';
import { UserLoad } from './user-load.ts';

/** This many users at once send the steps that lie behind them: a thousand would be an overload. */
const MOST_BEHIND = 16;

/** A job of this many users. */
type UsersJob = LoadJob & { readonly load: UsersLevel };

/**
 * Users who go through a script, each over their own connection, and so with one instance of the service. Their time is that of the stream's turns: between
 * them it stands still, so a user continues to think where the last turn ended.
 *
 * Users are in their steady state when the clock starts: each is met in a pause, and has sent the steps before it, so that its
 * cookies and what it has captured are right.
 */
export function openUsersStream(job: UsersJob, source: RequestSource): LoadStream {
  const { script } = source;
  if (script === undefined) throw new Error('users go through a script, and there is none');
  return new UsersStream(job, { ...source, script });
}

interface User {
  readonly connection: Connection;
  readonly session: ScriptSession;
  /** When the next step is sent, in the stream's time. */
  dueMs: number;
  timer: NodeJS.Timeout | undefined;
  /** While it sends what lies behind it: called at the end of that. */
  caughtUp: (() => void) | null;
}

class UsersStream extends TurnStream {
  private readonly users: readonly User[];
  /** Users who wait for an answer. */
  private waiting = 0;

  constructor(job: UsersJob, source: ScriptSource) {
    super(job, source, createTally(source));
    this.users = Array.from({ length: job.load.users }, (_, number) => {
      const session = source.script.openSession(number, { underWay: true });
      const pace = { sending: false, rested: () => (user.caughtUp === null ? this.rest(user) : this.catchUp(user)) };
      const connection = this.connect(new UserLoad(this, session, pace));
      const user: User = { connection, session, dueMs: session.startMs, timer: undefined, caughtUp: null };
      return user;
    });
  }

  /** Each has its own load. */
  override rested(): void {}

  /** Users connect as they come: a thousand at once would overflow the queue of many a service. */
  protected override async prepare(): Promise<void> {
    await connectAll([]);
  }

  protected override enter(): Promise<void> | null {
    const behind = this.users.filter(({ session }) => session.isBehind);
    if (behind.length === 0) return null;
    const next = async (): Promise<void> => {
      for (let user = behind.shift(); user !== undefined; user = behind.shift()) {
        const one = user;
        await new Promise<void>((resolve) => {
          one.caughtUp = resolve;
          this.catchUp(one);
        });
      }
    };
    return Promise.all(Array.from({ length: MOST_BEHIND }, next)).then(() => undefined);
  }

  private catchUp(user: User): void {
    if (user.session.isBehind && !this.isOver) {
      user.connection.begin();
      return;
    }
    const done = user.caughtUp;
    user.caughtUp = null;
    done?.();
  }

  protected override begin(): void {
    this.waiting = 0;
    for (const user of this.users) this.think(user);
  }

  protected override endSending(): void {
    for (const user of this.users) clearTimeout(user.timer);
    super.endSending();
    // Where all are thinking, nobody waits for an answer.
    if (this.waiting === 0) this.finish();
  }

  /** Until the user's next step is due. A timer that was set in a busy loop fires early, and is then set again. */
  private think(user: User): void {
    const waitMs = user.dueMs - this.streamMs();
    if (waitMs >= 1) user.timer = setTimeout(() => this.think(user), waitMs);
    else this.send(user);
  }

  private send(user: User): void {
    this.waiting++;
    user.connection.begin();
  }

  private rest(user: User): void {
    user.dueMs = this.streamMs() + user.session.thinkMs();
    this.waiting--;
    if (!this.isOver) this.think(user);
    else if (this.waiting === 0) this.finish();
  }

  /** The time of all turns until now. */
  private streamMs(): number {
    return this.loadMs + this.elapsedMs();
  }
}
