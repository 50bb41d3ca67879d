// Has npm fetch the versions of Postgres that are not on this machine, and prints the folder of its programs of one of them.
import { postgresOf, postgresVersions } from '../support/things.ts';

const having = await Promise.all(postgresVersions.map((version) => postgresOf(version, { env: process.env })));
const fetched = having
  .flatMap((found) => ('has' in found ? [found.has] : []))
  // A system's own programs need more of it than an image has; those that `npm ci` brought are the newest that there are.
  .filter(({ source }) => source.startsWith('npm @'));
const newest = fetched.at(-1);
if (newest !== undefined) console.log(newest.folder);
