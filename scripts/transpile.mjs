/**
 * Translates the sources into `dist` without checking types, for `npm start` and other commands that run a checkout: it takes a tenth
 * of the time of `nest build`, with which `npm run build` checks and translates. The results mean the same; tests run the same
 * translation.
 */
import { copyFileSync, existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import swc from '@swc/core';
import { swcOptions } from './swc-options.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const NOT_BUILT = /\.(?:spec|d)\.ts$|(?:^|[\\/])testdata[\\/]/;
const RELATIVE_IMPORT = /\b(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+)\.js["']/g;

rmSync(dist, { recursive: true, force: true });
const built = new Set();
let next = globSync('{src,plugins,cli,bench}/**/*.ts', { cwd: root }).filter((file) => !NOT_BUILT.test(file));
while (next.length > 0) {
  for (const file of next) built.add(file);
  const imported = await Promise.all(next.map(translate));
  // Benches import files of the tests.
  next = [...new Set(imported.flat())].filter((file) => !built.has(file) && existsSync(join(root, file)));
}
for (const file of globSync('src/**/*.sql', { cwd: root })) {
  mkdirSync(dirname(join(dist, file)), { recursive: true });
  copyFileSync(join(root, file), join(dist, file));
}

/** Writes the translation of a file and its source map. @returns {Promise<string[]>} the sources that it imports */
async function translate(file) {
  const target = join(dist, file.replace(/\.ts$/, '.js'));
  const { code, map } = await swc.transformFile(join(root, file), {
    ...swcOptions,
    sourceMaps: true,
    sourceFileName: relative(dirname(target), join(root, file)),
  });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`);
  writeFileSync(`${target}.map`, map);
  return [...code.matchAll(RELATIVE_IMPORT)].map(([, path]) => join(dirname(file), `${path}.ts`));
}
