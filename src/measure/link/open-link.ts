import type { LinkKind, LinkOptions, OpenedLink } from './link.ts';
import { runParts } from './parts.ts';

/** From the database to the service. */
const kinds: readonly LinkKind[] = runParts.flatMap(({ links = [] }) => links);

/** Opens what the variant asks for between its service and its database, the direct way where it asks for nothing. */
export function openLink(options: LinkOptions): Promise<OpenedLink> {
  return openChain(kinds, options);
}

/**
 * Opens a chain of links of any kinds, each before the one that is nearer to the database. If one fails, it closes those that
 * are open.
 */
export async function openChain(chain: readonly LinkKind[], options: LinkOptions): Promise<OpenedLink> {
  const opened: OpenedLink[] = [];
  let url = options.databaseUrl;
  const close = async (): Promise<void> => {
    // From the service to the database, all of them whatever becomes of one.
    const closed = await Promise.allSettled(
      opened
        .splice(0)
        .reverse()
        .map((link) => link.close()),
    );
    const failed = closed.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };
  try {
    for (const kind of chain) {
      if (!kind.isWanted(options)) continue;
      const link = await kind.open({ ...options, databaseUrl: url });
      opened.push(link);
      url = link.url;
    }
  } catch (error) {
    await close();
    throw error;
  }
  const pooler = opened.find((link) => link.pooler !== undefined)?.pooler;
  const exits = opened.flatMap(({ exited }) => exited ?? []);
  return {
    url,
    ...(pooler !== undefined && { pooler }),
    pids: opened.flatMap(({ pids }) => pids),
    ...(exits.length > 0 && { exited: Promise.race(exits) }),
    async verify() {
      const readings = [];
      for (const link of opened) readings.push(await link.verify());
      return Object.assign({}, ...readings);
    },
    close,
  };
}
