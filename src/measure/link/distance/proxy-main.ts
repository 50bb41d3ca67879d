import { messageOf } from '../../../base/errors.ts';
import { openProxy } from './proxy.ts';
import type { FromProxy, ToProxy } from './proxy-messages.ts';

/** The proxy's process, one for each arm that is at a distance: its work must not wait for the bench's, and its CPU is seen by arm. */

function send(message: FromProxy): void {
  process.send?.(message);
}

process.once('message', (message: ToProxy) => {
  openProxy(message).then(
    (port) => send({ kind: 'opened', port }),
    (error: unknown) => send({ kind: 'failed', message: messageOf(error) }),
  );
});
// The bench has gone.
process.on('disconnect', () => process.exit(0));
send({ kind: 'ready' });
