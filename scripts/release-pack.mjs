/**
 * `npm run release:pack`: makes the files of a release in `WEIR_RELEASE_DIR`, default `dist-release`: the package, SBOM,
 * NOTICE and their checksums. The package is unpacked and asked for its version before it counts; a tag names that version.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureBuilt } from './build-if-changed.mjs';

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const { GITHUB_REF_TYPE, GITHUB_REF_NAME, WEIR_RELEASE_DIR = 'dist-release' } = process.env;
if (GITHUB_REF_TYPE === 'tag' && GITHUB_REF_NAME !== `v${version}`) {
  throw new Error(`The tag ${GITHUB_REF_NAME} is not v${version}, the version in package.json`);
}
const target = resolve(WEIR_RELEASE_DIR);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
await ensureBuilt();
execFileSync('npm', ['pack', '--ignore-scripts', '--loglevel', 'error', '--pack-destination', target], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
execFileSync(process.execPath, ['scripts/sbom.mjs'], {
  stdio: 'inherit',
  env: { ...process.env, WEIR_SBOM_DIR: target },
});
checkPackage(join(target, `${name}-${version}.tgz`));
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

/** The package alone, beside what `npm ci` has installed, says its version: nothing that it needs was left out. */
function checkPackage(file) {
  const directory = mkdtempSync(join(tmpdir(), 'weir-release-'));
  try {
    execFileSync('tar', ['-xzf', file, '-C', directory]);
    const unpacked = join(directory, 'package');
    symlinkSync(resolve('node_modules'), join(unpacked, 'node_modules'));
    const weir = (...argv) =>
      execFileSync(process.execPath, [join(unpacked, 'bin/weir.mjs'), ...argv], { cwd: directory, encoding: 'utf8' });
    const said = weir('--version').trim();
    if (!said.includes(version)) throw new Error(`The package says that its version is "${said}", not ${version}`);
    weir('lint', join(unpacked, 'policies'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
