// Begins the package's dist/ anew with what the compiler leaves out: the files of src/ that are no TypeScript.
import { cpSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
cpSync('src', 'dist', { recursive: true, filter: (file) => !/\.m?ts$/.test(file) });
