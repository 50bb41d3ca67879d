import { type Finding, ok, problem } from '../../finding.ts';

/** Checks the version of Node.js, as `engines` in package.json does. */
export function examineNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const supported = (major === 20 && minor >= 19) || (major === 22 && minor >= 13) || major >= 24;
  return supported
    ? ok('node', version)
    : problem('node', version, 'pgsweep needs Node.js 20.19, 22.13, 24 or newer: install one of these.');
}
