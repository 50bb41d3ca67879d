// Prints a name of the scenario file: `mark FILE` the first line of its comment, by which a later run finds the comment, and
// `artifact FILE` the name of its artifact. Both have its folder in the workspace, since files of one name may lie in several. In the
// top folder the mark is the first line of the report (reportMarker in src/report/formats/markdown.ts).
import { basename, dirname, extname, relative, resolve, sep } from 'node:path';

const [, , kind, file = ''] = process.argv;
const { GITHUB_WORKSPACE: workspace = process.cwd() } = process.env;
const [MOST, MOST_IN_FOLDER] = [80, 300];

const name = basename(file, extname(file));
const folder = relative(workspace, resolve(workspace, dirname(file)));
const folders = folder === '' ? [] : folder.split(sep);

/** Nothing ends the comment, and no end of half a character stays. */
function inComment(text, most) {
  const safe = text
    .replace(/[^\p{L}\p{N} ._=,-]/gu, '_')
    .replace(/-{2,}/g, '-')
    .replace(/-$/, '_');
  return safe.length <= most ? safe : `${safe.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** In a path and in the name of an artifact not every character may stand: byte by byte. */
function inArtifact(text) {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/[^A-Za-z0-9._-]/g, '-');
}

if (kind === 'artifact') console.log(`pgsweep-${[...folders, name].map(inArtifact).join('--')}`);
else {
  const parts = [...folders.map((one) => inComment(one, MOST_IN_FOLDER)), inComment(name, MOST)];
  console.log(`<!-- pgsweep:report ${parts.join('/')} -->`);
}
