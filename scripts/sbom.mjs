/**
 * `npm run sbom`: writes what is shipped as `sbom.cdx.json` (CycloneDX, by npm itself) and `NOTICE` (every package with its
 * licence and the text that comes with it) into `WEIR_SBOM_DIR`, default `dist-release`. Fails for a package without a licence.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

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
  .map(([path]) => {
    const { name, version, license, licenses } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const said = license?.type ?? license ?? licenses?.map(({ type }) => type).join(' OR ');
    const file = readdirSync(path).find((each) => /^(?:licen[cs]e|copying)(?:[.-].*)?$/i.test(each));
    if (said === undefined && file === undefined) throw new Error(`${name} ${version} has no licence`);
    const text = file === undefined ? '' : `\n\n${readFileSync(join(path, file), 'utf8').trim()}`;
    return `${name} ${version} (${said ?? 'see below'})${text}`;
  })
  .sort();
writeFileSync(join(target, 'NOTICE'), `Weir contains these packages.\n\n${parts.join('\n\n----\n\n')}\n`);
console.log(`${target}: sbom.cdx.json, NOTICE (${parts.length} packages)`);
