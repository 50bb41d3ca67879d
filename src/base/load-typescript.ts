/** Has this process load TypeScript of the user's, which a clone does anyway. */
export async function loadTypeScript(): Promise<void> {
  if (!import.meta.url.endsWith('.ts')) await import(new URL('./typescript.mjs', import.meta.url).href);
}
