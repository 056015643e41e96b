import fc from 'fast-check';
import { parseJson } from './json-document.js';
import { isObject, lastMemberOf, membersNamed, type ObjectNode } from './json-node.js';
import { MANY_MEMBERS } from './member-index.js';

const key = fc.oneof(fc.constantFrom('type', 'Type', 'TYPE', 'name', 'Name', '', 'ſ', 'K', '__proto__'), fc.string());

function objectOf(keys: readonly string[]): ObjectNode {
  const { root } = parseJson(`{${keys.map((name, at) => `${JSON.stringify(name)}:${at}`).join()}}`);
  if (!isObject(root)) throw new Error('an object was written');
  return root;
}

describe('An object with many members', () => {
  it('finds its members by name, with the same results as a small object', () => {
    fc.assert(
      fc.property(fc.array(key, { minLength: MANY_MEMBERS, maxLength: 200 }), fc.array(key), (keys, others) => {
        const node = objectOf(keys);
        const plain: ObjectNode = { kind: 'object', members: node.members };
        expect(node.index).toBeDefined();
        for (const asked of [...keys, ...others]) {
          expect(lastMemberOf(node, asked)).toBe(lastMemberOf(plain, asked));
          const names = [asked.toLowerCase(), 'type'];
          expect(membersNamed(node, names)).toEqual(membersNamed(plain, names));
        }
      }),
    );
  });

  it('finds members that are far apart, and for a duplicate key the last one', () => {
    const keys = Array.from({ length: 20_000 }, (_, at) => (at % 5_000 === 7 ? 'type' : `key ${at}`));
    const node = objectOf(keys);
    expect(lastMemberOf(node, 'type')?.value).toBe(15_007);
    expect(membersNamed(node, ['type', 'key 0']).map(({ value }) => value)).toEqual([0, 7, 5_007, 10_007, 15_007]);
    expect(lastMemberOf(node, 'absent')).toBeUndefined();
  });
});
