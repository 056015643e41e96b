/** Copies the renderer of the API page from its package into `dist`, plain and compressed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'dist', 'api-page');

/** An image that the renderer would load from its vendor's server. */
const ELSEWHERE = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const NOTHING = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

export function copyApiPage() {
  const redoc = join(root, 'node_modules', 'redoc');
  const script = readFileSync(join(redoc, 'bundles', 'redoc.standalone.js'), 'utf8');
  if (!script.includes(ELSEWHERE))
    throw new Error('Redoc no longer loads the image of its vendor: check which resources it loads now');
  const licence = readFileSync(join(redoc, 'LICENSE'), 'utf8');
  // The licences of the libraries that it contains, which are already comments.
  const licences = readFileSync(join(redoc, 'bundles', 'redoc.standalone.js.LICENSE.txt'), 'utf8');
  // The source map is not served.
  const served = `/*!\n${licence.trim()}\n*/\n${licences.trim()}\n${script.replaceAll(ELSEWHERE, NOTHING).replace(/\/\/# sourceMappingURL=.*\s*$/, '')}`;
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'redoc.js'), served);
  writeFileSync(join(target, 'redoc.js.gz'), gzipSync(served, { level: 9 }));
}
