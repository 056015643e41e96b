import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A harmless text from the installed packages of this repository. */
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

/** The list of READMEs for training: each line has the folder of a package and the digest of the part that is read. */
const LIST = 'bench/injection/readmes.txt';
const DIGEST_DIGITS = 16;

/**
 * Technical prose, and messages in other languages, which the corpora lack: the first pages of READMEs of installed packages with a
 * free licence, and the messages of the TypeScript compiler (Apache-2.0) in all its languages. The READMEs are fixed by a list, so that
 * an additional package, or another version with the same README, changes no weight.
 */
export function installedTexts(root: string): InstalledText[] {
  return [...listed(root).flatMap(({ path, text }) => piecesOf(path, text ?? '')), ...compilerMessages(root)];
}

/** Folders of the packages whose README is missing or differs from the list; training skips them. */
export function absentReadmes(root: string): string[] {
  return listed(root)
    .filter(({ text }) => text === undefined)
    .map(({ path }) => path);
}

/** Writes a new list, based on the lock file so that it does not depend on the machine. */
export function listReadmes(root: string): void {
  const lines = lockedPackages(root).flatMap((path) => {
    const text = readmeOf(root, path);
    return text === undefined ? [] : [`${path} ${digestOf(text)}\n`];
  });
  writeFileSync(join(root, LIST), lines.join(''));
}

function listed(root: string): { readonly path: string; readonly text: string | undefined }[] {
  const lines = readFileSync(join(root, LIST), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [path = '', digest] = line.split(' ');
    const text = readmeOf(root, path);
    return { path, text: text !== undefined && digestOf(text) === digest ? text : undefined };
  });
}

function lockedPackages(root: string): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  return Object.entries(lock.packages)
    .filter(([path]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path))
    .filter(([, entry]) => FREE.test(entry.license ?? '') && entry.optional !== true)
    .filter(([, { os, cpu }]) => os === undefined && cpu === undefined)
    .map(([path]) => path)
    .sort();
}

/** The part of a package's README that is read; undefined if the package or its README is missing. */
function readmeOf(root: string, path: string): string | undefined {
  const folder = join(root, path);
  const file = existsSync(folder) ? readdirSync(folder).find((name) => /^readme\.md$/i.test(name)) : undefined;
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8').slice(0, PIECE_UNITS * PIECES);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_DIGITS);
}

function piecesOf(path: string, text: string): InstalledText[] {
  return Array.from({ length: Math.ceil(text.length / PIECE_UNITS) }, (_unused, piece) => ({
    id: `${path}#${piece}`,
    source: 'installed_readmes',
    text: text.slice(piece * PIECE_UNITS, (piece + 1) * PIECE_UNITS),
  }));
}

const MESSAGES = 80;
const MESSAGE_STEP = 25;
/** Number of messages per text, repeated cyclically. */
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
