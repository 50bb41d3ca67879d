import type { UsersLevel } from '../../journal/load-record.ts';
import type { Connection } from '../connection.ts';
import { connectAll } from '../connections.ts';
import type { LoadJob, LoadStream } from '../load-generator.ts';
import { createTally } from '../tally.ts';
import { enoughMs, TurnStream } from '../turn-stream.ts';
import type { ScriptSource } from './script-source.ts';
import type { ScriptSession } from './session.ts';
import { UserLoad } from './user-load.ts';

/** A job of so many users. */
type UsersJob = LoadJob & { readonly load: UsersLevel };

/**
 * Users who go through a script, each over a connection of their own, and so with one instance of the service. Their time is that of the stream's turns: between
 * them it stands still, so that a user goes on thinking where the last turn ended.
 */
export function openUsersStream(job: UsersJob, source: ScriptSource): LoadStream {
  return new UsersStream(job, source);
}

interface User {
  readonly connection: Connection;
  readonly session: ScriptSession;
  /** When the next step is sent, in the stream's time. */
  dueMs: number;
  timer: NodeJS.Timeout | undefined;
}

class UsersStream extends TurnStream {
  private readonly users: readonly User[];
  /** Users who wait for an answer. */
  private waiting = 0;

  constructor(job: UsersJob, source: ScriptSource) {
    super(job, source, createTally(source));
    this.users = Array.from({ length: job.load.users }, (_, number) => {
      const session = source.script.openSession(number);
      const pace = { sending: false, rested: () => this.rest(user) };
      const connection = this.connect(new UserLoad(this, session, pace));
      const user: User = { connection, session, dueMs: session.startMs, timer: undefined };
      return user;
    });
  }

  /** Each has a load of its own. */
  override rested(): void {}

  /** Users connect as they come: a thousand at once would overflow the queue of many a service. */
  protected override async prepare(): Promise<void> {
    await connectAll([]);
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

  protected override drainMs(): number {
    return enoughMs(this.job, this.longestMs);
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
