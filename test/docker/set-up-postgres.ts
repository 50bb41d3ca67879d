// Has npm fetch the versions of Postgres that are not on this machine, and prints the folder of its programs of 17.
import { binariesOf } from '../stack/versions.ts';

const { folder, links } = binariesOf('17');
// A system's programs need more of it than an image has.
if (links !== undefined) console.log(folder);
