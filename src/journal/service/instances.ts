/** More processes of one service than this are no question for one machine. */
export const MOST_INSTANCES = 64;

/** How many processes of the service a variant has. */
export function instancesOf({ instances }: { readonly instances?: number }): number {
  return instances ?? 1;
}
