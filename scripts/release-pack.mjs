/**
 * `npm run release:pack`: makes the files of a release in `WEIR_RELEASE_DIR`, default `dist-release`: the packages, SBOM,
 * NOTICE and their checksums. Each package is unpacked and tried before it counts; a tag names its version.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packCli, packServer } from './packages.mjs';
import { requirePinnedNode } from './with-pinned-node.mjs';

await requirePinnedNode();

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const { GITHUB_REF_TYPE, GITHUB_REF_NAME, WEIR_RELEASE_DIR = 'dist-release' } = process.env;
if (GITHUB_REF_TYPE === 'tag' && GITHUB_REF_NAME !== `v${version}`) {
  throw new Error(`The tag ${GITHUB_REF_NAME} is not v${version}, the version in package.json`);
}
const target = resolve(WEIR_RELEASE_DIR);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const packages = [await packCli(target), await packServer(target)];
execFileSync(process.execPath, ['scripts/sbom.mjs'], {
  stdio: 'inherit',
  env: { ...process.env, WEIR_SBOM_DIR: target },
});
for (const file of packages) checkPackage(file);
const sums = readdirSync(target)
  .sort()
  .map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(join(target, file)))
        .digest('hex')}  ${file}\n`,
  );
writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
process.stdout.write(sums.join(''));

/** The package alone, in an empty folder, says its version and reads policies: nothing that it needs was left out. */
function checkPackage(file) {
  const directory = mkdtempSync(join(tmpdir(), 'weir-release-'));
  try {
    execFileSync('tar', ['-xzf', file, '-C', directory]);
    const unpacked = join(directory, 'package');
    const { bin } = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
    const weir = (...argv) =>
      execFileSync(process.execPath, [join(unpacked, bin.weir), ...argv], { cwd: directory, encoding: 'utf8' });
    const said = weir('--version').trim();
    if (said !== version) throw new Error(`${file} says that its version is "${said}", not ${version}`);
    weir('lint', resolve('policies'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
