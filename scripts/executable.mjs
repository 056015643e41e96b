/**
 * `node scripts/executable.mjs <folder>` packs the `weir` command and the pinned Node as one file that needs neither Node nor npm:
 * `weir-cli-<version>-linux-<architecture>.tar.gz`, for the architecture of this machine only, because V8's code cache is specific to
 * it (https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html).
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
import { bundleCli } from './bundle-cli.mjs';
import { noticeOf } from './notices.mjs';
import { ensurePackages, requireOfTests } from './packages-apart.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const nodePackage = join(root, 'node_modules', 'node');
/** The marker by which Node detects an embedded program, and the name of its resource; Node defines both. */
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
    // Without V8's code cache, every start compiles the code, which doubles the CPU time.
    useCodeCache: true,
    // The NODE_OPTIONS of a CI job are meant for its own Node.js programs.
    execArgvExtension: 'none',
  };
  writeFileSync(settings, JSON.stringify(what));
  // The same Node that is embedded must create the blob, whose format depends on it. Output goes to stderr; stdout has the file name.
  execFileSync(node, ['--experimental-sea-config', settings], { stdio: ['ignore', 2, 2] });
  copyFileSync(node, executable);
  chmodSync(executable, 0o755);
  await ensurePackages('test');
  const { inject } = requireOfTests('postject');
  await quietly(() => inject(executable, RESOURCE, readFileSync(blob), { sentinelFuse: FUSE }));
}

/** Silences the console during the work: LIEF, with which postject writes, warns about every unnamed section of the Node binary. */
async function quietly(work) {
  const { log, warn } = console;
  console.log = console.warn = () => undefined;
  try {
    await work();
  } finally {
    Object.assign(console, { log, warn });
  }
}

/** The licence of Node and its components, which is in the package of the platform's binary. */
function noticeOfNode() {
  const inNode = createRequire(join(nodePackage, 'package.json'));
  return noticeOf(join(inNode.resolve(`node-${process.platform}-${process.arch}/package.json`), '..'));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [target] = process.argv.slice(2);
  if (target === undefined) throw new Error('usage: node scripts/executable.mjs <folder>');
  console.log(await packExecutable(target));
}
