/**
 * `npm run sbom`: writes what is shipped as `sbom.cdx.json` (CycloneDX, by npm itself) and `NOTICE` (every package with its
 * licence and the text that comes with it) into `WEIR_SBOM_DIR`, default `dist-release`. Fails for a package without a licence.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noticeOf } from './notices.mjs';

const target = process.env.WEIR_SBOM_DIR ?? 'dist-release';
mkdirSync(target, { recursive: true });
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const shipped = Object.entries(lock.packages).filter(([, { dev }]) => dev !== true);
const sbom = sbomOf(manifest, { ...lock, packages: Object.fromEntries(shipped.map(withoutDevelopment)) });
if (JSON.parse(sbom).bomFormat !== 'CycloneDX') throw new Error('npm wrote no CycloneDX document');
writeFileSync(join(target, 'sbom.cdx.json'), sbom);

const parts = shipped
  .filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true)
  .filter(([path]) => existsSync(join(path, 'package.json')))
  .map(([path]) => noticeOf(path))
  .sort();
writeFileSync(join(target, 'NOTICE'), `Weir contains these packages.\n\n${parts.join('\n\n----\n\n')}\n`);
console.log(`${target}: sbom.cdx.json, NOTICE (${parts.length} packages)`);

function withoutDevelopment([path, { devDependencies: _, ...entry }]) {
  return [path, entry];
}

/**
 * npm's own document of a lock file that has no dependencies of development. `npm sbom --omit dev` leaves out all packages
 * that some package names among its own `devDependencies`, although they are shipped.
 */
function sbomOf({ devDependencies: _, scripts: __, ...manifest }, lock) {
  const root = mkdtempSync(join(tmpdir(), 'weir-sbom-'));
  // npm names the component after its folder.
  const folder = join(root, manifest.name);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel', 'error'];
    // npm hands the settings of this repository, of what to leave out among them, to what it runs.
    const env = { ...process.env, npm_config_omit: '' };
    return execFileSync('npm', args, { cwd: folder, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  } finally {
    rmSync(root, { recursive: true });
  }
}
