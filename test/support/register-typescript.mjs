/**
 * Lets plain Node run the sources: resolves `./x.js` to `./x.ts` and compiles with SWC; the output is cached in
 * node_modules/.cache until the file changes, and so is V8's code for it. Used by the tests' own workers (see native-runner.cjs), by
 * threads that they start, and by child processes that tests kill on purpose.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire, enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { swcOptions } from '../../scripts/swc-options.mjs';

const CACHE = new URL('../../node_modules/.cache/weir/compiled/', import.meta.url);
const require = createRequire(import.meta.url);
const swcVersion = require('@swc/core/package.json').version;
const SALT = JSON.stringify([swcOptions, swcVersion]);
mkdirSync(CACHE, { recursive: true });
// For each thread and process separately: none takes this setting over from the one that started it.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/weir/v8', import.meta.url)));

/** The path of the source map of each compiled file, by the file's URL; jest reads the map when a test fails. */
export const sourceMaps = new Map();

registerHooks({
  resolve(specifier, context, next) {
    const isOwn = specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.includes('.ts');
    try {
      return next(isOwn ? specifier.replace(/\.js$/, '.ts') : specifier, context);
    } catch (error) {
      // A few files that sources of tests import are JavaScript.
      if (isOwn) return next(specifier, context);
      if (specifier.startsWith('.') && specifier.endsWith('.js')) {
        return next(specifier.replace(/\.js$/, '.ts'), context);
      }
      throw error;
    }
  },
  load(url, context, next) {
    const { pathname } = new URL(url);
    if (!pathname.endsWith('.ts')) {
      return next(url, context);
    }
    return { format: 'module', source: compiled(url), shortCircuit: true };
  },
});

function compiled(url) {
  const filename = fileURLToPath(url);
  const source = readFileSync(filename, 'utf8');
  const name = hashOf(filename);
  const code = new URL(`${name}.mjs`, CACHE);
  const map = new URL(`${name}.map`, CACHE);
  // Appended after the code, so that the line numbers of the source map stay valid.
  const mark = `\n//${hashOf(SALT, source)}\n`;
  sourceMaps.set(url, fileURLToPath(map));
  const kept = existsSync(code) ? readFileSync(code, 'utf8') : '';
  if (kept.endsWith(mark)) return kept;
  const made = require('@swc/core').transformSync(source, { ...swcOptions, filename, sourceMaps: true });
  put(map, made.map);
  put(code, made.code + mark);
  return made.code;
}

function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 32);
}

/** Writes the file atomically, because another process may be reading it. */
function put(file, text) {
  const draft = new URL(`${file.href}.${process.pid}.${Math.random().toString(36).slice(2)}`);
  writeFileSync(draft, text);
  renameSync(draft, file);
}
