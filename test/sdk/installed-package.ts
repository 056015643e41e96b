import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);

/**
 * The package for Node.js built, packed and installed into an empty folder, as a user gets it; the packages named stand
 * beside it.
 *
 * @returns the folder
 */
export async function installedPackage(beside: readonly string[]): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'weir-sdk-')));
  const source = join(folder, 'source');
  mkdirSync(source);
  for (const file of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'])
    cpSync(join('sdk/node', file), join(source, file));
  await run(process.execPath, ['scripts/build-sdk.mjs', join(source, 'dist')]);
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: source });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', './weir-sdk-0.1.0.tgz'], { cwd: folder });
  for (const name of beside) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve('node_modules', name), link);
  }
  return folder;
}
