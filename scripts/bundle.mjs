/**
 * A step of `npm run build`: bundles the commands that need no server (cli/offline.ts), with their libraries, into the
 * few files of `dist/offline`. It bundles the output of the compiler, so that these commands run the same code as the
 * server.
 */
import { rmSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { dist, makeLater, withSourceMap } from './bundle-parts.mjs';

const { OFFLINE } = await import('../dist/cli/offline.js');

/** Modules that may import parts of the server: they do so only when the single files run (`runModule` in cli/offline.ts). */
const LOADS_SETTINGS = ['cli/loaded-plugins.js', 'cli/server/with-database.js', 'cli/judging/raw-body.js'];

const bundle = await rolldown({
  input: { run: join(dist, 'cli', 'run.js') },
  platform: 'node',
  plugins: [{ name: 'weir', resolveId: leaveOutServer, load: withSourceMap, transform: makeLater }],
  onLog(level, log) {
    if (level === 'warn') throw new Error(log.message);
  },
});
rmSync(join(dist, 'offline'), { recursive: true, force: true });
await bundle.write({
  dir: join(dist, 'offline'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  sourcemap: true,
});

/** Parts of the server, and commands that need them, are not bundled; importing them other than lazily fails the build. */
function leaveOutServer(source, importer, { kind }) {
  if (importer === undefined || !source.startsWith('.') || importer.includes('node_modules')) return null;
  const file = resolve(importer, '..', source);
  const [name, from] = [file, importer].map((path) => relative(dist, path).split(sep).join('/'));
  const command = /^cli\/commands\/\w+\/(.+)\.js$/.exec(name)?.[1];
  if (kind === 'dynamic-import' && from.startsWith('cli/commands/') && command !== undefined && !OFFLINE.has(command)) {
    return { id: file, external: true };
  }
  if (!/^src\/(?!core\/|authoring\/|bundles\/)/.test(name)) return null;
  if (kind === 'dynamic-import' && LOADS_SETTINGS.includes(from)) return { id: file, external: true };
  throw new Error(`${from} imports ${name}: a command in cli/offline.ts must not need the server`);
}
