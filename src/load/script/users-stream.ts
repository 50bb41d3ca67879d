import type { UsersLevel } from '../../journal/scenario-record.ts';
import { Connection } from '../connection.ts';
import { connectAll } from '../connections.ts';
import { HttpStream } from '../http-stream.ts';
import type { LoadJob, LoadStream } from '../load-generator.ts';
import type { ScriptSource } from './script-source.ts';
import type { ScriptSession } from './session.ts';
import { UserLoad } from './user-load.ts';

/** A job of so many users. */
type UsersJob = LoadJob & { readonly load: UsersLevel };

/**
 * Users who go through a script, each over a connection of their own. Their time is that of the stream's turns: between
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

class UsersStream extends HttpStream {
  private readonly users: User[];

  constructor(job: UsersJob, source: ScriptSource) {
    super(job, source);
    const url = new URL(job.url);
    this.users = Array.from({ length: job.load.users }, (_, number) => {
      const session = source.script.openSession(number);
      const pace = { goesOn: () => false, rested: () => this.rest(user) };
      const connection = new Connection(url, new UserLoad(this, session, pace));
      const user: User = { connection, session, dueMs: session.startMs, timer: undefined };
      return user;
    });
    this.connections = this.users.map(({ connection }) => connection);
  }

  /** Users connect as they come: a thousand at once would overflow the queue of many a service. */
  protected override async prepare(): Promise<void> {
    await connectAll([]);
  }

  protected override startSending(): void {
    for (const user of this.users) this.think(user);
  }

  protected override endSending(): void {
    for (const user of this.users) clearTimeout(user.timer);
    super.endSending();
    // Where all are thinking, nobody waits for an answer.
    if (this.busy === 0) this.settle?.();
  }

  /** Until the user's next step is due. */
  private think(user: User): void {
    const waitMs = user.dueMs - this.streamMs();
    if (waitMs > 0) user.timer = setTimeout(() => this.send(user), waitMs);
    else this.send(user);
  }

  private send(user: User): void {
    this.busy++;
    user.connection.begin();
  }

  private rest(user: User): void {
    user.dueMs = this.streamMs() + user.session.thinkMs();
    this.busy--;
    if (this.sending) this.think(user);
    else if (this.busy === 0) this.settle?.();
  }

  /** The time of all turns until now. */
  private streamMs(): number {
    return this.loadMs + this.elapsedMs();
  }
}
