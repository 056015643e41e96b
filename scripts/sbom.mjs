/**
 * `npm run sbom`: writes what is shipped as `sbom.cdx.json` (CycloneDX, by npm itself) and `NOTICE` (every package with its
 * licence and the text that comes with it) into `WEIR_SBOM_DIR`, default `dist-release`. Fails for a package without a licence.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noticeOf } from './notices.mjs';

const target = process.env.WEIR_SBOM_DIR ?? 'dist-release';
mkdirSync(target, { recursive: true });
const sbom = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--loglevel', 'error'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
if (JSON.parse(sbom).bomFormat !== 'CycloneDX') throw new Error('npm wrote no CycloneDX document');
writeFileSync(join(target, 'sbom.cdx.json'), sbom);

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const parts = Object.entries(packages)
  .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true)
  .filter(([path]) => existsSync(join(path, 'package.json')))
  .map(([path]) => noticeOf(path))
  .sort();
writeFileSync(join(target, 'NOTICE'), `Weir contains these packages.\n\n${parts.join('\n\n----\n\n')}\n`);
console.log(`${target}: sbom.cdx.json, NOTICE (${parts.length} packages)`);
