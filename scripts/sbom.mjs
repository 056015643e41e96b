/**
 * `npm run sbom`: writes the list of shipped components as `sbom.cdx.json` (CycloneDX, by npm itself) and `NOTICE`
 * (every package with its licence and the text that comes with it) into `WEIR_SBOM_DIR`, default `dist-release`: what
 * is installed with the service, and what its pages are built from. Fails for a package without a licence.
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
/** Packages of development that the pages are made of: the dashboard's, as its build tells them, and the API page. */
const inPages = new Set([
  ...JSON.parse(readFileSync('dist/dashboard/licenses.json', 'utf8')).map(({ name, version }) => `${name} ${version}`),
  `redoc ${lock.packages['node_modules/redoc'].version}`,
]);
const isInPages = (path, { version }) => inPages.has(`${path.replace(/^.*node_modules\//, '')} ${version}`);
const shipped = Object.entries(lock.packages).filter(([path, each]) => each.dev !== true || isInPages(path, each));
const sbom = sbomOf(manifest, shipped);
if (JSON.parse(sbom).bomFormat !== 'CycloneDX') throw new Error('npm wrote no CycloneDX document');
writeFileSync(join(target, 'sbom.cdx.json'), sbom);

const parts = shipped
  .filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true)
  .filter(([path]) => existsSync(join(path, 'package.json')))
  .map(([path]) => noticeOf(path))
  .sort();
writeFileSync(join(target, 'NOTICE'), `Weir contains these packages.\n\n${parts.join('\n\n----\n\n')}\n`);
console.log(`${target}: sbom.cdx.json, NOTICE (${parts.length} packages)`);

/** What a page is made of stands in its files: it asks for nothing more. */
function asShipped([path, { devDependencies: _, dependencies, peerDependencies, dev, ...entry }]) {
  return [path, dev === true ? entry : { ...entry, dependencies, peerDependencies }];
}

/**
 * npm's own document of a lock file that has no dependencies of development. `npm sbom --omit dev` leaves out all packages
 * that some package names among its own `devDependencies`, although they are shipped.
 */
function sbomOf({ devDependencies: _, scripts: __, ...own }, entries) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-sbom-'));
  const packages = Object.fromEntries(entries.map(asShipped));
  const parts = entries.filter(([path, { dev }]) => dev === true && /^node_modules\/(?!.*\/node_modules\/)/.test(path));
  const ofPages = Object.fromEntries(parts.map(([path, part]) => [path.replace('node_modules/', ''), part.version]));
  const dependencies = { ...packages[''].dependencies, ...ofPages };
  const manifest = { ...own, dependencies };
  try {
    // npm names the component after its folder.
    const project = join(folder, manifest.name);
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
    const locked = { ...lock, packages: { ...packages, '': manifest } };
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify(locked));
    const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel', 'error'];
    // npm hands the settings of this repository, of what to leave out among them, to what it runs.
    const env = { ...process.env, npm_config_omit: '' };
    return execFileSync('npm', args, { cwd: project, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
