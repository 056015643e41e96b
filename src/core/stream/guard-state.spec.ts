import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { after, TRANSITIONS, type StreamTransition, type State } from './guard-state.js';

const STATES = Object.keys(TRANSITIONS) as State[];
const HAPPENINGS: readonly StreamTransition[] = ['begins', 'text leaves', 'ends', 'is refused'];

describe('the states of a guarded stream', () => {
  it('change in one direction only, and none follows a refusal', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...HAPPENINGS), { maxLength: 12 }), (happenings) => {
        const seen: State[] = ['new'];
        for (const happening of happenings) {
          const state = after(seen.at(-1)!, happening);
          if (state !== seen.at(-1)) seen.push(state);
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen.includes('refused')).toBe(seen.at(-1) === 'refused');
      }),
    );
  });

  it('are drawn in the README of this folder, with exactly these transitions', () => {
    const readme = readFileSync(new URL('README.md', import.meta.url), 'utf8');
    const drawn = [...readme.matchAll(/^ *(\w+) --> (\w+): ([a-z ]+)$/gm)].map(([, ...parts]) => parts);
    const all = STATES.flatMap((from) =>
      Object.entries(TRANSITIONS[from]).map(([happening, to]) => [from, to, happening]),
    );
    expect(drawn.sort()).toEqual(all.sort());
  });
});
