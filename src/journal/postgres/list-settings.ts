/** Settings that Postgres keeps as a list of quoted elements: in SQL, a list that is quoted as a whole is one element. */
const lists: readonly string[] = [
  'local_preload_libraries',
  'search_path',
  'session_preload_libraries',
  'shared_preload_libraries',
  'temp_tablespaces',
];
/** Lists of names, of which those without quotes are in lower case. */
const listsOfNames: readonly string[] = ['search_path', 'temp_tablespaces'];

/**
 * Elements of a setting's value, as Postgres reads it in postgresql.conf; of a setting that is no list, the value itself. An
 * empty list has one empty element, since SQL cannot write it otherwise.
 */
export function elementsOf(name: string, value: string): readonly string[] {
  const key = name.toLowerCase();
  if (!lists.includes(key)) return [value];
  const elements = value.match(/(?:"(?:[^"]|"")*"|[^,])+/g) ?? [''];
  return elements.map((element) => {
    const text = element.trim();
    const [, quoted] = /^"(.*)"$/s.exec(text) ?? [];
    if (quoted !== undefined) return quoted.replaceAll('""', '"');
    return listsOfNames.includes(key) ? text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : text;
  });
}
