export function userCache(env: NodeJS.ProcessEnv, kind: string): string;
export function ownCache(env: NodeJS.ProcessEnv, kind: string): string | null;
export function isOwn(folder: string, rights: number): boolean;
