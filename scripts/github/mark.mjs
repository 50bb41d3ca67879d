// Prints the first line of a comment on the scenario file that is named: the mark by which a later run finds the comment. A report
// begins with it, too (reportMarker in src/report/formats/markdown.ts).
import { basename, extname } from 'node:path';

const [, , file = ''] = process.argv;
const MOST = 80;
const safe = basename(file, extname(file))
  .replace(/[^\p{L}\p{N} ._=,-]/gu, '_')
  .replace(/-{2,}/g, '-')
  .replace(/-$/, '_');
const cut = safe.length <= MOST ? safe : `${safe.slice(0, MOST - 1).replace(/[\ud800-\udbff]$/, '')}…`;
console.log(`<!-- pgsweep:report ${cut} -->`);
