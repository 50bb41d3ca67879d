import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/run/events.ts';
import { openStack, resumedChoice } from '../../src/run/session-stack.ts';
import { parseScenario } from '../../src/scenario/load-scenario.ts';

const scenario = (stack: string, variant = '{}') =>
  parseScenario(
    `title: stacks
target: { service: documents }
variants: { A: {}, B: ${variant} }
control: A
load: { connections: 1, workload: get-schools }
stack: ${stack}
`,
    'stacks.yaml',
  );

describe('a run that goes on', () => {
  it('keeps its stack where nobody says', () => {
    expect(resumedChoice({ kind: 'auto' }, { stack: 'docker' })).toEqual({ kind: 'docker' });
    expect(resumedChoice({ kind: 'embedded' }, { stack: 'embedded' })).toEqual({ kind: 'embedded' });
    // Of a service that somebody else has started.
    expect(resumedChoice({ kind: 'auto' }, { stack: 'none' })).toEqual({ kind: 'auto' });
  });

  it('does not change it', () => {
    expect(() => resumedChoice({ kind: 'docker' }, { stack: 'embedded' })).toThrow(
      'the run began with the stack embedded, and cannot go on with docker',
    );
    expect(() => resumedChoice({ kind: 'auto' }, { stack: 'external' })).toThrow('began with the stack external');
  });
});

describe('the stack that is chosen', () => {
  it('is said first, then what it cannot do', async () => {
    const events: RunEvent[] = [];
    const asked = scenario('{ postgres: { cpuset: "0" }, opensearch: { memory: 1g } }');
    await openStack(asked, { kind: 'embedded' }, (event) => events.push(event));
    expect(events).toEqual([
      { kind: 'preparing', message: 'stack: embedded (asked for)' },
      {
        kind: 'warning',
        message:
          'stack.postgres.cpuset, stack.opensearch.memory: only containers have limits, and the stack is embedded',
      },
    ]);
  });

  it.each([
    ['a version', '{ postgres: { version: 17 } }', '{}', 'stack.postgres.version'],
    ['a setting', '{ postgres: { settings: { work_mem: 8MB } } }', '{}', 'stack.postgres.settings.work_mem'],
    ['a server of its own', '{}', '{ postgres: { version: 15 } }', 'a server of its own for some variant'],
  ])('cannot be external with %s', async (_, stack, variant, asked) => {
    const opening = openStack(scenario(stack, variant), { kind: 'external' }, () => {});
    await expect(opening).rejects.toThrow(`the scenario asks for ${asked}`);
  });
});
