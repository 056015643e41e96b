/**
 * `node scripts/executable.mjs <folder>` packs the `weir` command and the pinned Node as one file that needs neither Node nor npm:
 * `weir-cli-<version>-linux-<architecture>.tar.gz`, for the machine that it runs on, as V8 compiles for one architecture
 * (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html).
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inject } from 'postject';
import { bundleCli } from './bundle-cli.mjs';
import { noticeOf } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const nodePackage = join(root, 'node_modules', 'node');
/** Where Node looks whether it holds a program, and what that is called: both are Node's. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const RESOURCE = 'NODE_SEA_BLOB';

/**
 * Packs the executable.
 *
 * @param {string} target an existing folder
 * @returns {Promise<string>} the file
 */
export async function packExecutable(target) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const file = join(resolve(target), `weir-cli-${version}-${process.platform}-${process.arch}.tar.gz`);
  const stage = mkdtempSync(join(tmpdir(), 'weir-executable-'));
  try {
    const parts = join(stage, 'parts');
    await bundleCli(parts, { single: true });
    const whole = join(stage, 'whole');
    mkdirSync(whole);
    await makeExecutable(join(whole, 'weir'), parts);
    copyFileSync(join(root, 'LICENSE'), join(whole, 'LICENSE'));
    writeFileSync(join(whole, 'NOTICE'), `${readFileSync(join(parts, 'NOTICE'), 'utf8')}\n----\n\n${noticeOfNode()}\n`);
    mkdirSync(resolve(target), { recursive: true });
    execFileSync('tar', ['-czf', file, '-C', whole, ...readdirSync(whole).sort()]);
    return file;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

async function makeExecutable(executable, parts) {
  const node = join(nodePackage, 'bin', 'node');
  const [settings, blob] = [join(parts, 'sea.json'), join(parts, 'weir.blob')];
  const what = {
    main: join(parts, 'weir.cjs'),
    output: blob,
    disableExperimentalSEAWarning: true,
    // Without what V8 compiled, every start compiles it: twice the processor time.
    useCodeCache: true,
    // A job's NODE_OPTIONS are for its own Node.js programs.
    execArgvExtension: 'none',
  };
  writeFileSync(settings, JSON.stringify(what));
  // With the very Node that it becomes part of: the blob is in that one's form. Told on stderr, as stdout has the name of the file.
  execFileSync(node, ['--experimental-sea-config', settings], { stdio: ['ignore', 2, 2] });
  copyFileSync(node, executable);
  chmodSync(executable, 0o755);
  await quietly(() => inject(executable, RESOURCE, readFileSync(blob), { sentinelFuse: FUSE }));
}

/** LIEF, by which postject writes, warns of each part of Node's that has no name. */
async function quietly(work) {
  const { log, warn } = console;
  console.log = console.warn = () => undefined;
  try {
    await work();
  } finally {
    Object.assign(console, { log, warn });
  }
}

/** The licence of Node and of what is in it lies beside the binary of the platform. */
function noticeOfNode() {
  const inNode = createRequire(join(nodePackage, 'package.json'));
  return noticeOf(join(inNode.resolve(`node-${process.platform}-${process.arch}/package.json`), '..'));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [target] = process.argv.slice(2);
  if (target === undefined) throw new Error('usage: node scripts/executable.mjs <folder>');
  console.log(await packExecutable(target));
}
