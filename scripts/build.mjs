// Makes dist/, which is what the package holds: each program of src/ and of the sample service as JavaScript in a file or two, since a
// process that loads hundreds of files starts half a second later, and beside them the files that are no TypeScript, where they are there.
import { copyFileSync, cpSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

/** Folders of programs, and where they are below dist/. */
const folders = [
  { from: realpathSync('src'), to: '' },
  { from: realpathSync('scenarios/services/documents'), to: 'documents' },
];

/** Where a file of the folders is below dist/, without its ending. */
function twinOf(path) {
  const { from, to } = folders.find((folder) => path.startsWith(folder.from));
  return join(to, relative(from, path)).replaceAll('\\', '/').replace(/\.ts$/, '');
}

// In a bundle, import.meta is that of the bundle. A module looks for its neighbours from where its own twin in dist/ would be.
const urlsOfTwins = {
  name: 'urls of twins',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const twin = JSON.stringify(`${twinOf(path)}.js`);
      const contents = readFileSync(path, 'utf8').replaceAll(/\bimport\.meta\.url\b/g, `new URL(${twin}, dist).href`);
      const other = /\bimport\.meta\b.*/.exec(contents)?.[0];
      if (other !== undefined)
        return { errors: [{ text: `${path} may use import.meta.url alone, and has: ${other}` }] };
      return { contents, loader: 'ts' };
    });
  },
};

rmSync('dist', { recursive: true, force: true });
for (const { from, to } of folders)
  cpSync(from, join('dist', to), { recursive: true, filter: (file) => !/\.m?ts$/.test(file) });
await build({
  // A program is started, a module is loaded, by its name.
  entryPoints: folders.flatMap(({ from }) =>
    readdirSync(from, { recursive: true })
      .filter((file) => /\b(main|module)\.ts$/.test(file))
      .map((file) => ({ in: resolve(from, file), out: twinOf(resolve(from, file)) })),
  ),
  outdir: 'dist',
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  banner: { js: `const dist = import.meta.url.replace(/(.*\\/dist\\/).*/, '$1');` },
  plugins: [urlsOfTwins],
});
// npm packs no lockfile. By this one the action installs what pgsweep needs, in the versions that it was tested with.
copyFileSync(new URL('../package-lock.json', import.meta.url), 'dist/lock.json');
