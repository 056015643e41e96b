import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);

/**
 * Builds, packs and installs the package for Node.js into an empty folder, as for a user, together with the named
 * packages.
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
    symlinkSync(packageFolder(name), link);
  }
  return folder;
}

/** The folder of a package. Clients of providers are packages of the tests. */
function packageFolder(name: string): string {
  const ofTests = resolve('test/node_modules', name);
  return existsSync(ofTests) ? ofTests : resolve('node_modules', name);
}

/** The unchanged examples of a page in one language. */
export function examplesOf(page: string, language: string): string[] {
  const blocks = readFileSync(page, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'));
  return [...blocks].map((match) => match[1]!);
}

/** Fails with the errors of the compiler under `--strict` for the files of the folder. */
export async function expectStrictTypes(folder: string, files: readonly string[]): Promise<void> {
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const flags = '--noEmit --strict --module nodenext --target es2023 --skipLibCheck --types node'.split(' ');
  await run(process.execPath, [compiler, ...flags, ...files], { cwd: folder }).catch(
    ({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    },
  );
}

/** A module that is loaded first and extends timeouts: examples use the defaults, which are too short for busy machines. */
export const PATIENT = `const real = globalThis.setTimeout;
globalThis.setTimeout = (action, ms, ...rest) => real(action, ms >= 1000 && ms <= 5000 ? 60_000 : ms, ...rest);`;
