import fc from 'fast-check';
import {
  BUNDLE_SCHEMA,
  bundlePayload,
  bundleText,
  entryFiles,
  makeBundle,
  normalText,
  readBundle,
  type BundleFile,
} from './index.js';

const policy = { id: 'p', environment: 'production', detectors: [], structures: [], readers: [] } as const;
const parts = { policy, digest: 'a'.repeat(64), source: { commit: null, clean: false } };
const bundleOf = (files: readonly BundleFile[], tests: readonly BundleFile[] = []) =>
  makeBundle({ ...parts, files, tests });
const someFiles = fc.uniqueArray(
  fc.record({ path: fc.stringMatching(/^[a-z]{1,8}\/[a-z]{1,8}\.yaml$/), text: fc.string() }),
  {
    selector: ({ path }) => path,
    minLength: 1,
  },
);

describe('A bundle', () => {
  it('has the same bytes whatever the order and the line endings of its files', () => {
    fc.assert(
      fc.property(someFiles, (files) => {
        const crlf = files.map(({ path, text }) => ({
          path,
          text: `\uFEFF${normalText(text).replaceAll('\n', '\r\n')}`,
        }));
        const plain = files.map(({ path, text }) => ({ path, text: normalText(text) }));
        expect(bundleText(bundleOf(crlf.toReversed()))).toBe(bundleText(bundleOf(plain)));
      }),
    );
  });

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(someFiles, someFiles, (files, tests) => {
        const bundle = bundleOf(files, tests);
        expect(readBundle(JSON.parse(bundleText(bundle)))).toEqual({ bundle });
      }),
    );
  });

  it('has a payload that depends on every field except the signatures', () => {
    const bundle = bundleOf([{ path: 'production/a.yaml', text: 'a' }]);
    const signature = { key_id: '0'.repeat(16), algorithm: 'ed25519', value: `${'A'.repeat(86)}==` } as const;
    expect(bundlePayload({ ...bundle, signatures: [signature] })).toBe(bundlePayload(bundle));
    const others = [
      { ...bundle, environment: 'staging' as const },
      { ...bundle, files: [{ path: 'production/a.yaml', text: 'b' }] },
      { ...bundle, tests: bundle.files },
      { ...bundle, source: { commit: null, clean: true } },
    ];
    for (const other of others) expect(bundlePayload(other)).not.toBe(bundlePayload(bundle));
  });

  it.each([
    [
      'files out of order',
      (b: object) => ({
        ...b,
        files: [
          { path: 'b', text: '' },
          { path: 'a', text: '' },
        ],
      }),
      'files',
    ],
    [
      'a path twice',
      (b: object) => ({
        ...b,
        files: [
          { path: 'a', text: '' },
          { path: 'a', text: '' },
        ],
      }),
      'files',
    ],
    ['line endings that are not normalised', (b: object) => ({ ...b, tests: [{ path: 'a', text: 'x\r\n' }] }), 'tests'],
    ['no file', (b: object) => ({ ...b, files: [] }), 'files'],
    ['an absolute path', (b: object) => ({ ...b, files: [{ path: '/etc/x', text: '' }] }), 'files[0].path'],
    ['a path that leads upwards', (b: object) => ({ ...b, files: [{ path: 'a/../../x', text: '' }] }), 'files[0].path'],
    ['a path with a backslash', (b: object) => ({ ...b, files: [{ path: 'a\\x', text: '' }] }), 'files[0].path'],
    [
      'a path that leads upwards after a line break',
      (b: object) => ({ ...b, files: [{ path: 'a\n/../x', text: '' }] }),
      'files[0].path',
    ],
    ...['\n', '\r', '\t', '\0', '\u001b', '\u0085', '\u2028', '\u202e', '\u2066'].map(
      (unit): [string, (b: object) => object, string] => [
        `the character ${unit.charCodeAt(0).toString(16)} in a path`,
        (b) => ({ ...b, tests: [{ path: `a${unit}x`, text: '' }] }),
        'tests[0].path',
      ],
    ),
    ...['\0', '\n', '\u001b'].map((unit): [string, (b: object) => object, string] => [
      `the character ${unit.charCodeAt(0).toString(16)} in the commit`,
      (b) => ({ ...b, source: { commit: `abc${unit}`, clean: true } }),
      'source.commit',
    ]),
    ['an unknown key', (b: object) => ({ ...b, more: 1 }), 'more'],
    ['another format', (b: object) => ({ ...b, format: 'weir/bundle/v2' }), 'format'],
    [
      'an invalid signature',
      (b: object) => ({ ...b, signatures: [{ key_id: 'x', algorithm: 'rsa', value: '' }] }),
      'signatures[0].key_id',
    ],
  ])('is refused with %s, naming the field and not the value', (_what, spoil, path) => {
    const read = readBundle(spoil(bundleOf([{ path: 'production/a.yaml', text: '' }])));
    expect('problems' in read ? read.problems.map((problem) => problem.path) : []).toContain(path);
    expect(JSON.stringify(read)).not.toContain('/etc/x');
  });

  it('has a list that is too long refused by its length, and not by each of its entries', () => {
    const bundle = bundleOf([{ path: 'production/a.yaml', text: '' }]);
    for (const list of ['files', 'tests', 'requires', 'signatures']) {
      const { error } = BUNDLE_SCHEMA.safeParse({ ...bundle, [list]: Array(2_000).fill(0) });
      expect(error?.issues.map(({ code, path }) => [code, path])).toEqual([['too_big', [list]]]);
    }
  });

  it('has only the files directly in the folder of an environment as entry files', () => {
    const files = [
      'production/a.yaml',
      'production/deep/b.yaml',
      '_shared/c.yaml',
      'staging/d.yaml',
      'productions/e.yaml',
    ];
    expect(
      entryFiles(
        files.map((path) => ({ path })),
        'production',
      ),
    ).toEqual(['production/a.yaml']);
  });
});
