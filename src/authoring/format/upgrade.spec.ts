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
    ['a policy that is already the newest', 'extends: [weir:baseline@3]\n', 'extends: [weir:baseline@3]\n'],
    ['a version that only a newer Weir has', 'extends: [weir:baseline@10]\n', 'extends: [weir:baseline@10]\n'],
    ['a file that is not a built-in policy', 'extends: [a@1.yaml]\n', 'extends: [a@1.yaml]\n'],
    [
      'a title that contains its name',
      'metadata: { title: weir:baseline@1 }\n',
      'metadata: { title: weir:baseline@1 }\n',
    ],
    ['a text that is not YAML', 'extends: [weir:baseline@1\n', 'extends: [weir:baseline@1\n'],
  ])('replaces only older built-in policies: %s', (_what, before, after) => {
    expect(upgradeBuiltIns(before, newest)).toBe(after);
  });
});
