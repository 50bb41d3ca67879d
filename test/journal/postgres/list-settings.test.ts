import { expect, it } from 'vitest';
import { elementsOf } from '../../../src/journal/postgres/list-settings.ts';

it.each([
  ['search_path', 'app,public', ['app', 'public']],
  ['Search_Path', ' App , "$user",pg_catalog', ['app', '$user', 'pg_catalog']],
  ['search_path', '"My, ""own""", public', ['My, "own"', 'public']],
  ['search_path', '', ['']],
  ['search_path', '""', ['']],
  ['session_preload_libraries', 'auto_explain, $libdir/Own', ['auto_explain', '$libdir/Own']],
  ['work_mem', '"8MB", x', ['"8MB", x']],
])('%s = %s has %j', (name, value, elements) => {
  expect(elementsOf(name, value)).toEqual(elements);
});
