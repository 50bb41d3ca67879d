import { resolveScript } from '../../script/resolve-script.ts';
import { type ScriptDocument, scriptKeys } from '../../script/script-schema.ts';
import type { Around, KindOfLoad } from '../kind.ts';

export const script = {
  keys: scriptKeys,
  workload: (load: ScriptDocument, { hasToken, origin, problems }: Around) =>
    resolveScript(load, hasToken, origin, problems),
} satisfies KindOfLoad;
