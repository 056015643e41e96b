/**
 * `node scripts/packages.mjs cli|server <folder>` packs one of the two packages for npm: `weir-cli`, the command alone, in few files
 * and without dependencies; `weir-server`, the service with the command, and with exactly the library versions of
 * `package-lock.json` that were tested. Both install without a registry and without running any install script.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureBuilt } from './build-if-changed.mjs';
import { bundleCli } from './bundle-cli.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Fields of package.json that only developers of Weir need. */
const OF_THE_CHECKOUT = ['private', 'scripts', 'devDependencies', 'overrides', 'allowScripts'];

/** Files of libraries for editors and debuggers. */
const NEVER_RUN = /\.(?:map|ts|mts|cts|tsx|flow)$/;

/**
 * Packs weir-cli.
 *
 * @param {string} target an existing folder
 * @returns {Promise<string>} the file
 */
export async function packCli(target) {
  const source = join(root, 'packages', 'weir-cli');
  return inStage(target, async (stage) => {
    for (const file of ['package.json', 'README.md', 'LICENSE']) cpSync(join(source, file), join(stage, file));
    await bundleCli(join(stage, 'dist'));
  });
}

/**
 * Packs weir-server.
 *
 * @param {string} target an existing folder
 * @returns {Promise<string>} the file
 */
export async function packServer(target) {
  await ensureBuilt();
  const whole = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const shipped = Object.fromEntries(Object.entries(whole).filter(([name]) => !OF_THE_CHECKOUT.includes(name)));
  return inStage(target, (stage) => {
    for (const path of ['README.md', 'LICENSE', ...whole.files.filter((name) => !name.startsWith('!'))]) {
      cpSync(join(root, path), join(stage, path), { recursive: true });
    }
    for (const path of librariesOf()) copyLibrary(path, stage);
    copyCanvas(stage);
    const bundleDependencies = Object.keys(whole.dependencies);
    // The pinned Node of development is not included, so an installed Node is required.
    write(join(stage, 'package.json'), { ...shipped, engines: { node: '>=24' }, bundleDependencies });
  });
}

/** Folders of the libraries that the service needs, from the root, without links. */
function librariesOf() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev, devOptional, link }]) => path.startsWith('node_modules/') && !dev && !devOptional && !link)
    .map(([path]) => path)
    .filter((path) => existsSync(join(root, path)));
}

function copyLibrary(path, stage) {
  const from = join(root, path);
  const inner = join(from, 'node_modules');
  mkdirSync(dirname(join(stage, path)), { recursive: true });
  cpSync(from, join(stage, path), {
    recursive: true,
    filter: (file) => !file.startsWith(inner) && !NEVER_RUN.test(file),
  });
}

/** Copies the replacement of `@napi-rs/canvas`, which pdfjs imports when it is loaded; in the checkout it is a link to a folder. */
function copyCanvas(stage) {
  cpSync(join(root, 'packages', 'no-canvas'), join(stage, 'node_modules', '@napi-rs', 'canvas'), { recursive: true });
}

async function inStage(target, fill) {
  const stage = mkdtempSync(join(tmpdir(), 'weir-package-'));
  try {
    mkdirSync(target, { recursive: true });
    await fill(stage);
    execFileSync('npm', ['pack', '--ignore-scripts', '--loglevel', 'error', '--pack-destination', resolve(target)], {
      cwd: stage,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const { name, version } = JSON.parse(readFileSync(join(stage, 'package.json'), 'utf8'));
    return join(resolve(target), `${name}-${version}.tgz`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function write(file, content) {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [name, target] = process.argv.slice(2);
  const pack = { cli: packCli, server: packServer }[name];
  if (pack === undefined || target === undefined)
    throw new Error('usage: node scripts/packages.mjs cli|server <folder>');
  console.log(await pack(target));
}
