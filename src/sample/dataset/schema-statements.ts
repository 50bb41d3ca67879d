import { schemaSql } from '../model/schema.ts';

/** The service's schema in two parts: what must be there for rows to come in, and what is cheaper to build after. */
export interface SchemaStatements {
  tables: string[];
  indexes: string[];
}

/** Splits the service's own schema, so that a loaded database has exactly the indexes that the service would make. */
export function schemaStatements(sql: string = schemaSql): SchemaStatements {
  const statements = sql
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const isIndex = (statement: string): boolean => /^CREATE\s+(UNIQUE\s+)?INDEX\b/i.test(statement);
  return { tables: statements.filter((each) => !isIndex(each)), indexes: statements.filter(isIndex) };
}
