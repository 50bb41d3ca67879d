import { describe, expect, it } from 'vitest';
import { parseTemplate } from '../../src/base/template.ts';

describe('an escaped placeholder', () => {
  it('without its end leaves the next placeholder one', () => {
    expect(parseTemplate('{"tpl":"Hello $${name","id":"${unique}"}')).toEqual([
      { kind: 'text', text: '{"tpl":"Hello ${name","id":"' },
      { kind: 'unique' },
      { kind: 'text', text: '"}' },
    ]);
  });

  it('with its end is text', () => {
    expect(parseTemplate('$${a} ${unique}')).toEqual([{ kind: 'text', text: '${a} ' }, { kind: 'unique' }]);
    expect(parseTemplate('a $${unique}')).toEqual([{ kind: 'text', text: 'a ${unique}' }]);
  });
});
