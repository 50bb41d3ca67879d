const YOUNGER =
  'A dump is restored by the Postgres that it is of, or a younger one: stack: { postgres: { version: 17 } }.';

/** Advice for each kind of error that Postgres answers a data set with; the first that fits is given. */
const hints: readonly (readonly [message: RegExp, hint: (found: RegExpExecArray) => string])[] = [
  [
    /role "([^"]+)" does not exist/,
    ([, role = '']) =>
      `Postgres has no roles but its own: dataset: { role: ${role} } makes this one, or an SQL file that is run first: CREATE ROLE "${role}";`,
  ],
  [
    /role "([^"]+)" already exists/,
    ([, role = '']) =>
      `Roles belong to the whole server. Make it only where it is missing: DO $$ BEGIN CREATE ROLE "${role}"; EXCEPTION WHEN duplicate_object THEN END $$;`,
  ],
  [
    /extension "([^"]+)" is not available|extension control file ".*\/([^/"]+)\.control"/,
    ([, name, file]) =>
      `This Postgres lacks the extension ${name ?? file}. Install its package for this version, or take an image that has it: stack: { postgres: { image: ... } }.`,
  ],
  [
    /could not access file "([^"]+)"|(\S+) (?:must be|can only be) loaded via "?shared_preload_libraries/,
    ([, file, name]) =>
      `A library has to be installed, and loaded as the server starts: stack: { postgres: { settings: { shared_preload_libraries: ${(file ?? name ?? '').replace(/^\$libdir\//, '').replaceAll('"', '')} } } }.`,
  ],
  [
    /invalid byte sequence for encoding|has no equivalent in encoding|conversion between \S+ and \S+ is not supported|parameter "client_encoding"/,
    () =>
      "Save the file as UTF-8 (a dump: pg_dump --encoding=UTF8), or say its encoding before its first statement: SET client_encoding = 'LATIN1';",
  ],
  [/unsupported version|unrecognized configuration parameter/, () => YOUNGER],
  [/cannot run inside a transaction block/, () => 'Leave out singleTransaction, and COMMIT before this statement.'],
];

/** The version in the head of what pg_dump writes: `-- Dumped from database version 17.2`. */
const dumpedFrom = /^-- Dumped from database version (\d+)/m;

/** True if the head of an SQL file says that it is of a younger Postgres than a server of this version (`15.18`). */
export function isOfYounger(head: string, version: string): boolean {
  return Number(dumpedFrom.exec(head)?.[1] ?? 0) > Number.parseInt(version, 10);
}

/** Postgres's message about a statement. */
export interface Said {
  readonly error: string;
  readonly statement: string;
  /** True if the data comes from a younger Postgres, which may have what this one lacks. */
  readonly ofYounger: boolean;
}

/** Advice by the error of a data set; null where the error says enough. */
export function hintOfSaid({ error, statement, ofYounger }: Said): string | null {
  for (const [message, hint] of hints) {
    const found = message.exec(error);
    if (found !== null) return hint(found);
  }
  if (/^(?:drop|alter\s[\s\S]*\sdrop)\s/i.test(statement) && /does not exist/.test(error))
    return 'The database is empty: dump it without --clean, or with --clean --if-exists.';
  return ofYounger ? YOUNGER : null;
}
