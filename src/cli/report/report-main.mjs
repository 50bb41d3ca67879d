// The thread of `report`. It needs the loader of its own: threads do not share it.
await import('../../base/typescript.mjs');
await import('./report-main.ts');
