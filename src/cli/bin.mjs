#!/usr/bin/env node
import '../base/typescript.mjs';

await import('./main.ts');
