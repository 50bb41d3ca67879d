// Has npm fetch the versions of Postgres that are not on this machine, and prints the folder of its programs of one of them.
import { binariesOf, postgresVersions, whyNoVersion } from '../stack/versions.ts';

const fetched = postgresVersions
  .filter((version) => whyNoVersion(version) === null)
  .map(binariesOf)
  // A system's own programs need more of it than an image has; those that `npm ci` brought are the newest that there are.
  .filter(({ source }) => source.startsWith('npm @'));
const newest = fetched.at(-1);
if (newest !== undefined) console.log(newest.folder);
