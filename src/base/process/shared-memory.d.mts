import type { SharedMemory } from './reaper.ts';

export function removeSharedMemory(memory: SharedMemory & { postmaster: number }, isLate?: boolean): string[];
export function sharedMemoryOf(postmaster: number): SharedMemory;
