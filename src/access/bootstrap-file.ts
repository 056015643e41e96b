import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from '../core/index.js';

/** The results of the first start, for the person who started the service. The names are the file's format. */
export interface BootstrapFile {
  readonly base_url: string;
  readonly account: { readonly email: string; readonly password: string };
  readonly app: { readonly id: string; readonly name: string };
  readonly keys: Readonly<Record<Environment, string>>;
  readonly token: string;
}

/** The path of the bootstrap file in a data directory. */
export function bootstrapPath(dataDir: string): string {
  return join(dataDir, 'bootstrap.json');
}

/**
 * Writes the file atomically, readable only by its owner, and flushes it to disk. An existing file, of an earlier database, is kept as
 * `bootstrap.previous.json`.
 */
export async function writeBootstrapFile(path: string, content: BootstrapFile): Promise<void> {
  const directory = dirname(path);
  const draft = join(directory, `bootstrap.${process.pid}.draft`);
  const file = await open(draft, 'w', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(path, join(directory, 'bootstrap.previous.json')).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') {
      throw error;
    }
  });
  await rename(draft, path);
  const entry = await open(directory, 'r');
  try {
    await entry.sync();
  } finally {
    await entry.close();
  }
}
