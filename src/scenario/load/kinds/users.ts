import type { Around, KindOfLoad, Written } from '../kind.ts';
import { clients, sizesOf } from '../sizes.ts';

const keys = {
  users: clients
    .optional()
    .describe(
      'load levels: users, each going through the script with its pauses, over its own connection; or those of a k6 script',
    ),
};

export type UsersDocument = Written<typeof keys>;

export const users = {
  keys,
  needs: { oneOf: ['script', 'k6'], message: 'load.users: expected load.script, which says what they do' },
  refuses: { count: 'load.count goes with load.connections, not with load.users' },
  isWhole: () => true,
  levels: (load: UsersDocument, { problems }: Around) => ({
    levels: sizesOf(load.users ?? [1], 'users', problems).map((size) => ({ users: size })),
  }),
} satisfies KindOfLoad;
