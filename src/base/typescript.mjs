// Has this process run TypeScript by tsx. It keeps what it has compiled in the folder for temporary files, under a name
// that everybody knows: whoever made that folder first could have us run their code. So it gets one of the user's own.
import { ownCache } from './user-cache.mjs';

const { TMPDIR, TSX_DISABLE_CACHE } = process.env;
const folder = ownCache(process.env, 'tsx');
if (folder === null) process.env.TSX_DISABLE_CACHE = '1';
else process.env.TMPDIR = folder;
// It asks for the folder when it is loaded, here and in the thread of its hooks, both of which are behind us then.
const [esm, commonJs] = [await import('tsx/esm/api'), await import('tsx/cjs/api')];
esm.register();
// What is CommonJS to tsx: a module of the user's, say, in a folder without a package.json that calls it an ES module.
commonJs.register();
restore('TMPDIR', TMPDIR);
restore('TSX_DISABLE_CACHE', TSX_DISABLE_CACHE);

function restore(name, value) {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
