/**
 * The last step of `npm run build`: bundles the service and its worker threads, including libraries, into the few files of
 * `dist/server`, because loading some 4,700 single modules was more than half of the start time. It bundles the
 * output of the compiler; `weir server start` of `dist/cli` loads the bundle. See
 * docs/adr/0092-the-service-in-few-files.md.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { dist } from './bundle-parts.mjs';

const target = join(dist, 'server');
const COMMAND = join(dist, 'cli', 'commands', 'administer', 'server', 'start.js');
/** The imports of the service in the command. */
const OF_COMMAND = /import\('((?:\.\.\/){4})(src\/[\w-]+(?:\/index)?\.js)'\)/g;
/** Exceptions among the `*-worker.js` files, which are started as threads: these two are not. */
const NO_THREADS = ['outbox-worker.js', 'fork-worker.js'];
const threads = globSync('src/**/*-worker.js', { cwd: dist }).filter((file) => !NO_THREADS.includes(basename(file)));

/** Libraries that read files from their own folder, and optional libraries of features that the service does not use. */
const OUTSIDE =
  /^(?:@electric-sql\/|pdfjs-dist|@duckdb\/|pg-native$|@nestjs\/(?:microservices|websockets|platform-express)|class-transformer|@fastify\/(?:multipart|view)$)/;

const command = readFileSync(COMMAND, 'utf8');
const parts = [...command.matchAll(OF_COMMAND)].map(([, , file]) => file);
if (parts.length === 0) throw new Error(`${COMMAND} imports nothing of the service`);
/** Loaded before all libraries, in this order. */
const FIRST = ['src/config/quiet-libraries.js', 'src/config/network-defaults.js'];
const entries = {
  service: 'src/main.js',
  ...Object.fromEntries([...FIRST, ...parts, ...threads].map((file) => [nameOf(file), file])),
};

const found = new Set();
const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(dist, file)])),
  platform: 'node',
  plugins: [{ name: 'weir-server', resolveId: leaveOutside, transform: keepPlaces }],
  onLog(level, log) {
    if (level === 'warn') throw new Error(log.message);
  },
});
rmSync(target, { recursive: true, force: true });
await bundle.write({
  dir: target,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  // Class names are used as names of tables and errors, and in log records.
  keepNames: true,
});
const lost = threads.filter((file) => !found.has(basename(file)));
if (lost.length > 0) throw new Error(`dist/server would start ${lost.join(', ')} from outside`);
// The bundle may load libraries before the first import of the sources, but these files must be loaded before all libraries.
const first = [...FIRST, 'service.js'].map((file) => `import './${basename(file)}';\n`);
writeFileSync(join(target, 'main.js'), first.join(''));
writeFileSync(
  COMMAND,
  command.replace(OF_COMMAND, (_, up, file) => `import('${up}server/${nameOf(file)}.js')`),
);

/** The name of a module's file in the bundle: `app` for src/app.js, `policy-store` for src/policy-store/index.js. */
function nameOf(file) {
  return basename(file.replace('/index.js', '.js'), '.js');
}

function leaveOutside(source) {
  return OUTSIDE.test(source) ? { id: source, external: true } : null;
}

/** Keeps `import.meta.url` pointing to the original module, except for threads and `main.js`, which are in the bundle. */
function keepPlaces(code, id) {
  if (!id.startsWith(dist) || !code.includes('import.meta.url')) return null;
  const here = 'import.meta.here';
  const text = code
    .replace(/new URL\(`\.\/([\w-]+-worker)\$\{extname\(import\.meta\.url\)\}`, import\.meta\.url\)/g, (_, name) => {
      found.add(`${name}.js`);
      return `new URL('./${name}.js', ${here})`;
    })
    .replace("new URL('./main.js', import.meta.url)", `new URL('./main.js', ${here})`)
    .replaceAll('import.meta.url', `new URL(${JSON.stringify(pathFrom(target, id))}, ${here}).href`)
    .replaceAll(here, 'import.meta.url');
  return { code: text, map: null };
}

function pathFrom(folder, file) {
  return relative(folder, file).split(sep).join('/');
}
