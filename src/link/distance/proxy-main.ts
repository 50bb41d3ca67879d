import { messageOf } from '../../base/errors.ts';
import { type DistanceProxy, openProxy } from './proxy.ts';
import type { FromProxy, ToProxy } from './proxy-messages.ts';

/** The proxy's process, one for each arm that is at a distance: its work must not wait for the bench's, and its CPU is seen by arm. */

let proxy: DistanceProxy | null = null;

function send(message: FromProxy): void {
  process.send?.(message);
}

process.on('message', (message: ToProxy) => {
  if (message.kind === 'own') {
    proxy?.setOwn(message.ownMs);
    return;
  }
  openProxy(message).then(
    (opened) => {
      proxy = opened;
      send({ kind: 'opened', port: opened.port });
    },
    (error: unknown) => send({ kind: 'failed', message: messageOf(error) }),
  );
});
// The bench has gone.
process.on('disconnect', () => process.exit(0));
send({ kind: 'ready' });
