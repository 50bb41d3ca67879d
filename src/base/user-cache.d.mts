export function userCache(env: NodeJS.ProcessEnv, kind: string): string;
export function ownCache(env: NodeJS.ProcessEnv, kind: string): string | null;
