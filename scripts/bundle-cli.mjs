/**
 * Bundles the `weir` command into `packages/weir-cli/dist`, or the given folder: every command with the libraries that it needs, and
 * nothing of the server, of its framework or of a database. `--single` makes the one CommonJS file that executables contain.
 * Commands that need the server name the package that contains it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { ensureBuilt } from './build-if-changed.mjs';
import { dist, makeLater } from './bundle-parts.mjs';
import { noticeOf } from './notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Parts of the server that work without the rest of it. The command imports their folders, but needs only these files. */
const STAND_ALONE = {
  'src/config/index.js': ['src/config/load-config.js', 'src/config/config-error.js'],
  'src/judgement/index.js': ['src/judgement/remote-scan.js'],
  'src/plugin-registry/index.js': ['src/plugin-registry/plugin-registry.js'],
  'src/access/credential.js': ['src/access/credential.js'],
};
const ELSEWHERE = '\0elsewhere';
const FOLDER = '\0folder:';
/** Modules that the package must not contain, even if something imports them. */
const FORBIDDEN = /\/node_modules\/(?:@nestjs|@mikro-orm|@electric-sql|fastify|kysely|pg|pdfjs-dist|stripe|ioredis)\//;

/**
 * @param {string} target the folder for the files; its previous content is removed
 * @param {{ single?: boolean }} [form]
 */
export async function bundleCli(target, { single = false } = {}) {
  await ensureBuilt();
  const bundle = await rolldown({
    input: { main: join(dist, 'cli', 'packaged-main.js') },
    platform: 'node',
    plugins: [{ name: 'weir-cli', resolveId: leaveOutServer, load, transform: makeLater }],
    onLog(level, log) {
      // An executable has no module folder: code that searches for files next to a module finds none, which the command handles.
      if (level === 'warn' && log.code !== 'EMPTY_IMPORT_META') throw new Error(log.message);
    },
  });
  rmSync(target, { recursive: true, force: true });
  const { output } = await bundle.write({
    dir: target,
    format: single ? 'cjs' : 'esm',
    codeSplitting: !single,
    entryFileNames: single ? 'weir.cjs' : '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  const files = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const forbidden = files.filter((file) => FORBIDDEN.test(file));
  if (forbidden.length > 0) throw new Error(`weir-cli would contain ${forbidden[0]}`);
  writeFileSync(join(target, 'NOTICE'), noticesOf(files));
}

/** A dynamic import of the server is replaced by a usage error; a static one fails the build. */
function leaveOutServer(source, importer, { kind }) {
  if (source.startsWith('\0')) return source;
  if (importer === undefined || !source.startsWith('.') || importer.includes('node_modules')) return null;
  const name = nameOf(resolve(importer, '..', source));
  const from = nameOf(importer);
  // These modules have no dependencies on the server, and must be loaded first.
  if (['src/config/quiet-libraries.js', 'src/config/network-defaults.js'].includes(name)) return null;
  // The bundle of the service, which replaces the imports of its modules.
  if (name.startsWith('server/')) return ELSEWHERE;
  if (!from.startsWith('cli/') || !/^src\/(?!core\/|authoring\/|bundles\/)/.test(name)) return null;
  if (kind !== 'dynamic-import') throw new Error(`${from} imports ${name}: the command must import it dynamically`);
  return name in STAND_ALONE ? `${FOLDER}${name}` : ELSEWHERE;
}

function load(id) {
  if (id.startsWith(FOLDER)) {
    const files = STAND_ALONE[id.slice(FOLDER.length)];
    return files.map((file) => `export * from ${JSON.stringify(join(dist, file))};`).join('\n');
  }
  if (id === ELSEWHERE) {
    return `import { usageError } from ${JSON.stringify(join(dist, 'cli', 'exit-code.js'))};
      throw usageError('this needs the server, which is not part of weir-cli: install the package weir-server');`;
  }
  if (nameOf(id) === 'cli/version.js') {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return `export const packageVersion = () => Promise.resolve(${JSON.stringify(version)});`;
  }
  return null;
}

function nameOf(file) {
  return relative(dist, file).split(sep).join('/');
}

/** The licences of the packages in the files. */
function noticesOf(files) {
  const folders = files.flatMap(
    (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file.split(sep).join('/')) ?? [],
  );
  const parts = [...new Set(folders)].map((folder) => noticeOf(folder));
  return `The weir command contains these packages.\n\n${parts.sort().join('\n\n----\n\n')}\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [target] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  await bundleCli(resolve(target ?? join(root, 'packages', 'weir-cli', 'dist')), {
    single: process.argv.includes('--single'),
  });
}
