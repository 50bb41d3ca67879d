// Builds the k6 of the tests where this machine has none, and says what came of it.
import { looks } from './things.ts';

const found = await looks.k6({ env: process.env });
console.log('has' in found ? `k6: in ${found.has}` : `k6: ${found.lacks}`);
