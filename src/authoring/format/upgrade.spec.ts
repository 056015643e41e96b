import { upgradeBuiltIns } from './upgrade.js';

const newest = (name: string): string | undefined =>
  name.startsWith('weir:baseline@') ? 'weir:baseline@3' : undefined;

describe('upgradeBuiltIns', () => {
  it.each([
    ['a list in one line', 'extends: [weir:baseline@1] # pinned\n', 'extends: [weir:baseline@3] # pinned\n'],
    [
      'items in quotes',
      "extends:\n  - 'weir:baseline@2'\n  - own.yaml\n",
      "extends:\n  - 'weir:baseline@3'\n  - own.yaml\n",
    ],
    ['what is the newest already', 'extends: [weir:baseline@3]\n', 'extends: [weir:baseline@3]\n'],
    ['what only a newer Weir knows', 'extends: [weir:baseline@10]\n', 'extends: [weir:baseline@10]\n'],
    ['what is no built-in policy', 'extends: [a@1.yaml]\n', 'extends: [a@1.yaml]\n'],
    ['a title that names one', 'metadata: { title: weir:baseline@1 }\n', 'metadata: { title: weir:baseline@1 }\n'],
    ['a text that is no YAML', 'extends: [weir:baseline@1\n', 'extends: [weir:baseline@1\n'],
  ])('moves to the newest version, and to nothing else: %s', (_what, before, after) => {
    expect(upgradeBuiltIns(before, newest)).toBe(after);
  });
});
