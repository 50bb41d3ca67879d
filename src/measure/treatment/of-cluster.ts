import { ScriptError, scriptParts } from '../../base/files/sql-script.ts';

/**
 * Statements of a whole server: its roles and who is a member of them, settings, tablespaces and other databases, since no
 * script knows the name of the arm's own. A setting of a role in one database is none.
 */
const OF_CLUSTER = [
  /^(create|drop)\s+(role|user(?!\s+mapping\b)|group)\b/i,
  /^alter\s+(role|user(?!\s+mapping\b)|group)\b(?![^']*\bin\s+database\b)/i,
  // What is granted ON something is in the database.
  /^(grant|revoke)\b(?!.*\son\s)/is,
  /^(create|alter|drop)\s+database\b/i,
  /^alter\s+system\b/i,
  /^(create|alter|drop)\s+tablespace\b/i,
  /\bpg_reload_conf\s*\(/i,
];

/** True if a statement of a script reaches beyond its database, to all others of the server. */
export function isOfCluster(script: string): boolean {
  return statementsOf(script).some((statement) => OF_CLUSTER.some((one) => one.test(statement)));
}

function statementsOf(script: string): string[] {
  try {
    return scriptParts(script).flatMap((part) =>
      part.kind === 'statement' ? [script.slice(part.head, part.end)] : [],
    );
  } catch (error) {
    // Postgres will say what is wrong with it.
    if (error instanceof ScriptError) return [];
    throw error;
  }
}
