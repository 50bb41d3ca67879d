/** What is wrong with a statement that should be CREATE INDEX, for people; null where nothing is. */
export function createIndexMistake(statement: string): string | null {
  // What is quoted or a comment may hold anything.
  const bare = statement
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
    .replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, 'x')
    .trim()
    .replace(/;$/, '');
  if (!/^CREATE\s+(UNIQUE\s+)?INDEX\b/i.test(bare)) {
    return 'expected a statement such as CREATE INDEX my_index ON my_table (my_column); anything else goes to sql';
  }
  if (bare.includes(';')) return 'expected one statement; more go into a list';
  if (/^CREATE\s+(UNIQUE\s+)?INDEX\s+CONCURRENTLY\b/i.test(bare)) {
    return 'leave out CONCURRENTLY: nobody else uses the copy of the database yet, and it would only take longer';
  }
  return null;
}
