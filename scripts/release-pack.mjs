/**
 * `npm run release:pack`: makes the files of a release in `WEIR_RELEASE_DIR`, default `dist-release`: the packages, the
 * executable for this machine, SBOM, NOTICE and their checksums. Packages and executable are unpacked and tested; on a tag, its name
 * must match the version. `WEIR_RELEASE_PARTS=executable` makes only the executable; `WEIR_RELEASE_ADD` is a folder of executables for
 * other machines.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packExecutable } from './executable.mjs';
import { packCli, packServer } from './packages.mjs';
import { requirePinnedNode } from './with-pinned-node.mjs';

await requirePinnedNode();

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const { GITHUB_REF_TYPE, GITHUB_REF_NAME, WEIR_RELEASE_DIR = 'dist-release' } = process.env;
const { WEIR_RELEASE_PARTS: parts = 'all', WEIR_RELEASE_ADD: others } = process.env;
if (!['all', 'executable'].includes(parts)) throw new Error(`WEIR_RELEASE_PARTS is "${parts}", not all or executable`);
if (GITHUB_REF_TYPE === 'tag' && GITHUB_REF_NAME !== `v${version}`) {
  throw new Error(`The tag ${GITHUB_REF_NAME} is not v${version}, the version in package.json`);
}
const target = resolve(WEIR_RELEASE_DIR);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
checkPacked(await packExecutable(target), (unpacked) => [join(unpacked, 'weir')]);
if (parts === 'all') {
  for (const file of [await packCli(target), await packServer(target)]) checkPacked(file, programOfPackage);
  execFileSync(process.execPath, ['scripts/sbom.mjs'], {
    stdio: 'inherit',
    env: { ...process.env, WEIR_SBOM_DIR: target },
  });
  addOthers();
  writeSums();
}

/** Adds the executables for other machines, on which they were tested. */
function addOthers() {
  for (const file of others === undefined ? [] : readdirSync(others)) {
    if (!file.startsWith(`weir-cli-${version}-`)) throw new Error(`${file} is not an executable of version ${version}`);
    copyFileSync(join(others, file), join(target, file));
  }
}

function writeSums() {
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
}

function programOfPackage(unpacked) {
  const { bin } = JSON.parse(readFileSync(join(unpacked, 'package', 'package.json'), 'utf8'));
  return [process.execPath, join(unpacked, 'package', bin.weir)];
}

/**
 * Tests the file alone, in an empty folder: it prints its version and reads policies, so it contains everything that it needs.
 */
function checkPacked(file, programOf) {
  const directory = mkdtempSync(join(tmpdir(), 'weir-release-'));
  try {
    execFileSync('tar', ['-xzf', file, '-C', directory]);
    const [program, ...first] = programOf(directory);
    const weir = (...argv) => execFileSync(program, [...first, ...argv], { cwd: directory, encoding: 'utf8' });
    const said = weir('--version').trim();
    if (said !== version) throw new Error(`${file} says that its version is "${said}", not ${version}`);
    weir('lint', resolve('policies'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
