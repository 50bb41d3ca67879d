import type { ServiceRole } from '../../../journal/run/provenance-record.ts';
import { type Finding, ok, warning } from '../../finding.ts';

/** Tells which role services have in their copies, and if policies of row-level security apply to it. */
export function examineRole({ name, isSuperuser, secured, bypassed }: ServiceRole): Finding {
  const has = `services get their copies as ${name}${isSuperuser ? ', a superuser' : ''}`;
  if (bypassed === 0) return ok('role', secured === 0 ? has : `${has}; row-level security applies to it`);
  const tables =
    secured === 1 ? 'the table with row-level security' : `${bypassed} of ${secured} tables with row-level security`;
  return warning(
    'role',
    `${has}: the policies of ${tables} do not apply to it`,
    isSuperuser
      ? 'Give them an ordinary role: dataset: { role: app }, with what an SQL file grants to app.'
      : 'An owner passes by its policies: GRANT what the service needs to the role in an SQL file, or ALTER TABLE ... FORCE ROW LEVEL SECURITY.',
  );
}
