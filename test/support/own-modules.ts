// Vitest runs this before each file that shares a process: what modules remember is that file's alone.
import { vi } from 'vitest';

vi.resetModules();
