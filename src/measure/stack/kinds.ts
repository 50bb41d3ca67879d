import { docker } from './docker/docker.ts';
import { embedded } from './embedded/embedded.ts';
import { external } from './external/external.ts';
import type { StackKind } from './kind.ts';

const kinds = { docker, embedded, external };

export type StackName = keyof typeof kinds;

/** Where servers can come from, by the name of `--stack`, in the order in which `auto` looks for one that suits. */
export const stackKinds: Readonly<Record<StackName, StackKind>> = kinds;

export const stackNames = Object.keys(kinds) as StackName[];
