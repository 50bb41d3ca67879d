// Makes dist/, which is what the package holds: each program of src/ as JavaScript in a file or two, since a process
// that loads hundreds of files starts half a second later, and beside them the files that are no TypeScript, where they are in src/.
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { build } from 'esbuild';

const src = resolve('src');

// In a bundle, import.meta is that of the bundle. A module looks for its neighbours from where its own twin in dist/ would be.
const urlsOfTwins = {
  name: 'urls of twins',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const twin = JSON.stringify(relative(src, path).replaceAll('\\', '/').replace(/\.ts$/, '.js'));
      const contents = readFileSync(path, 'utf8').replaceAll(/\bimport\.meta\.url\b/g, `new URL(${twin}, dist).href`);
      const other = /\bimport\.meta\b.*/.exec(contents)?.[0];
      if (other !== undefined)
        return { errors: [{ text: `${path} may use import.meta.url alone, and has: ${other}` }] };
      return { contents, loader: 'ts' };
    });
  },
};

rmSync('dist', { recursive: true, force: true });
cpSync('src', 'dist', { recursive: true, filter: (file) => !/\.m?ts$/.test(file) });
await build({
  entryPoints: readdirSync('src', { recursive: true })
    .filter((file) => /\bmain\.ts$/.test(file))
    .map((file) => `src/${file}`),
  outdir: 'dist',
  outbase: 'src',
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
