/**
 * `npm run release:publish [-- --dry-run]`: publishes the files in `WEIR_RELEASE_DIR` (default `dist-release`) as a release
 * of the tag in `GITHUB_REF_NAME`, together with the provenance file in `WEIR_PROVENANCE`. Files that do not match the SHA256SUMS of
 * `release:pack` are refused. Uses only Node and `gh`, so that no dependency runs with write permissions.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const dryRun = process.argv.includes('--dry-run');
const { GITHUB_REF_NAME, WEIR_PROVENANCE, WEIR_RELEASE_DIR: folder = 'dist-release' } = process.env;
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const tag = dryRun ? `v${version}` : GITHUB_REF_NAME;
if (tag !== `v${version}`) throw new Error(`The tag ${tag} is not v${version}, the version in package.json`);

const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
const named = sums.map((line) => line.slice(line.indexOf('  ') + 2));
const unnamed = readdirSync(folder).filter((file) => file !== 'SHA256SUMS' && !named.includes(file));
if (unnamed.length > 0) throw new Error(`SHA256SUMS does not name ${unnamed.join(', ')}`);
for (const [index, file] of named.entries()) {
  const sum = createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex');
  if (!sums[index].startsWith(`${sum}  `)) throw new Error(`${file} is not the file that SHA256SUMS names`);
}
const files = [...named, 'SHA256SUMS'].map((file) => join(folder, file));
if (WEIR_PROVENANCE) {
  const provenance = join(folder, `${name}-${version}.intoto.jsonl`);
  copyFileSync(WEIR_PROVENANCE, provenance);
  files.push(provenance);
} else if (!dryRun) throw new Error('WEIR_PROVENANCE names no provenance: a release without one is not published');

const argv = ['release', 'create', tag, '--verify-tag', '--title', tag, '--generate-notes', ...files];
if (dryRun) console.log(`gh ${argv.join(' ')}`);
else execFileSync('gh', argv, { stdio: 'inherit' });
