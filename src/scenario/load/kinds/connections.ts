import type { Around, KindOfLoad, Written } from '../kind.ts';
import { clients, sizesOf } from '../sizes.ts';

const keys = {
  connections: clients
    .optional()
    .describe('load levels: client connections, each sending its next request when the last is answered'),
};

export const connections = {
  keys,
  isDealt: true,
  levels: (load: Written<typeof keys>, { problems }: Around) => ({
    levels: sizesOf(load.connections ?? [1], 'connections', problems).map((size) => ({ connections: size })),
  }),
} satisfies KindOfLoad;
