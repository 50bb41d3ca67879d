import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withCommands } from '../../../src/cli/against/side-commands.ts';
import type { AgainstTaken } from '../../../src/journal/run/against-record.ts';
import { parseScenario } from '../../../src/scenario/load-scenario.ts';

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'pgsweep-commands-')));
});
afterEach(() => rmSync(top, { recursive: true }));

const REST = 'load: { connections: 1, requests: [{ path: / }] }\n';
const AGENT = 'variants: { base: { command: node --import ./agent.mjs server.mjs }, turbo: {} }\ncontrol: base\n';

/** The command that a commit with the one scenario is started by, if the folder has the other; undefined where that is no other. */
function commandOf(commit: string, branch: string): string | undefined {
  writeFileSync(join(top, 'pgsweep.yaml'), `${commit}${REST}`);
  const taken: AgainstTaken = {
    repository: top,
    commits: [{ ref: 'main', commit: 'a1b2c3d', at: 'tip', folder: top }],
    work: { commit: 'a1b2c3d', changed: 0, removed: 0, added: 0, folder: top },
    schemaFiles: [],
  };
  const scenario = parseScenario(`${branch}${REST}`, join(top, 'pgsweep.yaml'), { ref: 'main' });
  return withCommands(scenario, taken).commits[0]?.command;
}

describe('a commit is started', () => {
  const plain = 'target: { command: node server.mjs }\n';
  const renamed = 'target: { command: node ./server.mjs }\n';

  it('by the target of its own scenario file', () => {
    expect(commandOf(plain, renamed)).toBe('node server.mjs');
    expect(commandOf(plain, plain)).toBeUndefined();
  });

  it("by the control's own command, which another target does not replace", () => {
    expect(commandOf(`${plain}${AGENT}`, `${renamed}${AGENT}`)).toBeUndefined();
    const other = AGENT.replace('server.mjs', 'main.mjs');
    expect(commandOf(`${plain}${other}`, `${renamed}${AGENT}`)).toBe('node --import ./agent.mjs main.mjs');
  });

  it("as the folder is, if its scenario file has no command of the control's own", () => {
    expect(commandOf(plain, `${renamed}${AGENT}`)).toBeUndefined();
  });

  it("by the target, if only the commit's control has its own command", () => {
    const without = 'variants: { base: {}, turbo: {} }\ncontrol: base\n';
    expect(commandOf(`${plain}${AGENT}`, `${renamed}${without}`)).toBe('node server.mjs');
  });
});
