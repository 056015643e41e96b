import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A harmless text that comes with the packages of this repository. */
export interface InstalledText {
  readonly id: string;
  readonly source: string;
  readonly text: string;
}

const FREE = /^(?:MIT|Apache-2\.0|ISC|BSD-2-Clause|BSD-3-Clause)$/;
const PIECE_UNITS = 2_000;
const PIECES = 4;

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly optional?: boolean;
  readonly os?: unknown;
  readonly cpu?: unknown;
}

/**
 * Technical prose and messages in other languages, which the corpora lack: the first pages of the READMEs of installed
 * packages of a free licence, and the compiler's messages in every language it speaks (TypeScript, Apache-2.0). Which
 * packages is read from the lock file, so that it does not depend on the machine.
 */
export function installedTexts(root: string): InstalledText[] {
  return [...readmes(root), ...compilerMessages(root)];
}

function readmes(root: string): InstalledText[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const names = Object.entries(lock.packages)
    .filter(([path]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path))
    .filter(([, entry]) => FREE.test(entry.license ?? '') && entry.optional !== true)
    .filter(([, { os, cpu }]) => os === undefined && cpu === undefined)
    .map(([path]) => path)
    .sort();
  return names.flatMap((path) => {
    const folder = join(root, path);
    const file = existsSync(folder) ? readdirSync(folder).find((name) => /^readme\.md$/i.test(name)) : undefined;
    if (file === undefined) return [];
    const text = readFileSync(join(folder, file), 'utf8').slice(0, PIECE_UNITS * PIECES);
    return Array.from({ length: Math.ceil(text.length / PIECE_UNITS) }, (_unused, piece) => ({
      id: `${path}#${piece}`,
      source: 'installed_readmes',
      text: text.slice(piece * PIECE_UNITS, (piece + 1) * PIECE_UNITS),
    }));
  });
}

const MESSAGES = 80;
const MESSAGE_STEP = 25;
/** How many messages make a text, in turn. */
const MESSAGE_RUNS = [12, 1, 3, 3];

function compilerMessages(root: string): InstalledText[] {
  const folder = join(root, 'node_modules/typescript/lib');
  const languages = readdirSync(folder).filter((name) =>
    existsSync(join(folder, name, 'diagnosticMessages.generated.json')),
  );
  return languages.sort().flatMap((language) => {
    const messages = Object.values(
      JSON.parse(readFileSync(join(folder, language, 'diagnosticMessages.generated.json'), 'utf8')) as Readonly<
        Record<string, string>
      >,
    );
    const count = Math.min(MESSAGES, Math.floor(messages.length / MESSAGE_STEP));
    return Array.from({ length: count }, (_unused, index) => ({
      id: `${language}#${index}`,
      source: 'installed_messages',
      text: messages
        .slice(index * MESSAGE_STEP, index * MESSAGE_STEP + MESSAGE_RUNS[index % MESSAGE_RUNS.length]!)
        .join(' '),
    }));
  });
}
