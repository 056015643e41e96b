import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { problemsOf } = (await import(`${process.cwd()}/scripts/check-supply-chain.mjs`)) as {
  problemsOf: (files: ReadonlyMap<string, Buffer>) => string[];
};
const RELEASE = '.github/workflows/release.yml';
const CI = '.github/workflows/ci.yml';

const LISTED = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
}).split('\0');
// A file that was moved is still listed under its old name until the change is staged.
const PRESENT = LISTED.filter((path) => path !== '' && existsSync(path));
const FILES = new Map(PRESENT.map((path) => [path, readFileSync(path)]));

/** The files of the repository, with some of them changed: `undefined` removes a file. */
function filesWith(changes: Record<string, ((text: string) => string) | undefined>): Map<string, Buffer> {
  const files = new Map(FILES);
  for (const [path, change] of Object.entries(changes)) {
    if (change === undefined) files.delete(path);
    else files.set(path, Buffer.from(change(files.get(path)?.toString('utf8') ?? ''), 'utf8'));
  }
  return files;
}
const replacing = (what: string | RegExp, by: string) => (text: string) => {
  expect(text).toMatch(what);
  return text.replace(what, by);
};

describe('The source files of a release', () => {
  it('have no findings of the checks of OpenSSF Scorecard', () => {
    expect(problemsOf(filesWith({}))).toEqual([]);
  });

  it.each<[string, Record<string, ((text: string) => string) | undefined>, RegExp]>([
    ['an action by its tag', { [CI]: replacing(/checkout@\w+/, 'checkout@v5') }, /not pinned/],
    ['an action without its version', { [CI]: replacing(' # v5.0.0', '') }, /not pinned/],
    ['an action by its tag in action.yml', { 'action.yml': (text) => `${text}    - uses: a/b@main\n` }, /not pinned/],
    ['the token in the checkout', { [RELEASE]: replacing('persist-credentials: false', 'fetch-depth: 1') }, /token/],
    ['permission to write everywhere', { [CI]: replacing('contents: read', 'contents: write') }, /may write in every/],
    ['a job that may write more', { [RELEASE]: replacing('attestations: write', 'packages: write') }, /write packages/],
    ['no permissions', { [CI]: replacing('permissions:\n  contents: read\n', '') }, /whatever permissions/],
    ['a dangerous trigger', { [CI]: replacing('pull_request:', 'pull_request_target:') }, /pull_request_target/],
    [
      'an expression in a command',
      { [CI]: replacing('run: .ci/run', 'run: echo ${{ github.head_ref }}') },
      /expression into a command/,
    ],
    [
      'a command of its own',
      { [CI]: replacing('run: .ci/run', 'run: curl x | sh') },
      /other than a script of the repository/,
    ],
    ['a script that the gate leaves out', { [RELEASE]: replacing('release:pack', 'demo') }, /does not run demo/],
    ['no SECURITY.md', { 'SECURITY.md': undefined }, /SECURITY\.md/],
    ['no LICENSE', { LICENSE: undefined }, /LICENSE/],
    [
      'no updates of npm',
      { '.github/dependabot.yml': (text: string) => text.replaceAll('ecosystem: npm', 'ecosystem: pip') },
      /update npm/,
    ],
    ['an image by its tag', { Dockerfile: replacing(/@sha256:[0-9a-f]{64}/, '') }, /Dockerfile: FROM .* is not pinned/],
    [
      'no updates of images',
      { '.github/dependabot.yml': (text: string) => text.replaceAll('ecosystem: docker', 'ecosystem: pip') },
      /update docker/,
    ],
    [
      'an image that is not scanned',
      { [CI]: replacing('anchore/scan-action@', 'anchore/sbom-action@') },
      /the job check builds the image without a scan/,
    ],
    [
      'a part of the gate that builds an image in a job without a scan',
      { [CI]: replacing('part: [tests,', 'part: [checks, tests,') },
      /the job test builds the image without a scan/,
    ],
    [
      'a scan without consequences',
      { [RELEASE]: replacing('fail-build: true', 'fail-build: false') },
      /executable-arm64 builds the image/,
    ],
    [
      'a scan of another image',
      { [CI]: (text: string) => text.replaceAll('image: weir:check', 'image: debian') },
      /image-arm64 builds the image/,
    ],
    ['a program', { 'bin/helper': () => '\x7fELF\x02\0\0' }, /bin\/helper is a binary/],
  ])('are refused with %s', (_, changes, said) => {
    expect(problemsOf(filesWith(changes)).join('\n')).toMatch(said);
  });
});

describe('The list of packages in a release', () => {
  const target = mkdtempSync(join(tmpdir(), 'weir-sbom-test-'));
  afterAll(() => {
    rmSync(target, { recursive: true });
  });

  it('contains each shipped package, both as an SBOM and as NOTICE', () => {
    execFileSync(process.execPath, ['scripts/sbom.mjs'], { env: { ...process.env, WEIR_SBOM_DIR: target } });
    const { components, metadata } = JSON.parse(readFileSync(join(target, 'sbom.cdx.json'), 'utf8')) as {
      components: { 'bom-ref': string }[];
      metadata: { component: { name: string } };
    };
    const notice = readFileSync(join(target, 'NOTICE'), 'utf8');
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      packages: Record<string, { version: string; dev?: true; link?: true; optional?: true }>;
    };
    const shipped = Object.entries(packages)
      .filter(([path, { dev, link, optional }]) => path.includes('node_modules/') && !(dev ?? link ?? optional))
      .map(([path, { version }]) => ({ name: path.replace(/.*node_modules\//, ''), version }));
    for (const [path, { version }] of Object.entries(packages)) {
      // Development packages that are bundled into the pages.
      if (
        /^node_modules\/(?:react|react-dom|scheduler|@mantine\/core|@codemirror\/view|@fontsource-variable\/inter|redoc)$/.test(
          path,
        )
      )
        shipped.push({ name: path.replace('node_modules/', ''), version });
    }
    const refs = new Set(components.map((each) => each['bom-ref']));
    expect(shipped.filter(({ name, version }) => !refs.has(`${name}@${version}`))).toEqual([]);
    expect(shipped.filter(({ name, version }) => !notice.includes(`${name} ${version} (`))).toEqual([]);
    expect(metadata.component.name).toBe('weir-server');
  });
});
