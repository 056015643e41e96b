import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/** Result of a tool for a text: the ranges that it found, or the text without them. */
export type Answer = { readonly ranges: readonly (readonly [number, number])[] } | { readonly redacted: string };

export interface Contender {
  readonly name: string;
  /** Kinds of values that it looks for; only these are scored. */
  readonly looksFor: readonly ('personal' | 'secret')[];
  /** Synchronous if the tool is synchronous, so that no unnecessary promise is measured. */
  readonly ask: (text: string) => Answer | Promise<Answer>;
}

/**
 * The tools with which the detectors are compared. They are not dependencies of the project, since together they need some 190
 * packages, including clients of cloud services and web frameworks. The first run installs them into a separate folder, without running
 * install scripts.
 */
const PEERS = {
  openredaction: '1.1.5',
  'redact-pii': '3.4.0',
  '@secretlint/core': '13.0.7',
  '@secretlint/secretlint-rule-preset-recommend': '13.0.7',
} as const;
const FOLDER = resolve('node_modules/.cache/weir-bench-peers');

/** @throws Error if a package cannot be installed, since no comparison is possible then */
export async function peers(): Promise<Contender[]> {
  await install();
  const load = async (name: keyof typeof PEERS): Promise<unknown> =>
    import(pathToFileURL(createRequire(resolve(FOLDER, 'package.json')).resolve(name)).href);
  return [
    openRedaction((await load('openredaction')) as OpenRedactionModule),
    redactPii((await load('redact-pii')) as RedactPiiModule),
    secretlint(
      (await load('@secretlint/core')) as SecretlintModule,
      (await load('@secretlint/secretlint-rule-preset-recommend')) as { readonly creator: unknown },
    ),
  ];
}

async function install(): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const manifest = { private: true, dependencies: PEERS };
  await writeFile(resolve(FOLDER, 'package.json'), JSON.stringify(manifest));
  const flags = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--silent'];
  await promisify(execFile)('npm', flags, { cwd: FOLDER });
}

interface OpenRedactionModule {
  readonly OpenRedaction: new () => {
    detect(text: string): Promise<{ readonly detections: readonly { readonly position: readonly [number, number] }[] }>;
  };
}

function openRedaction({ OpenRedaction }: OpenRedactionModule): Contender {
  const redactor = new OpenRedaction();
  return {
    name: `openredaction ${PEERS.openredaction}`,
    looksFor: ['personal', 'secret'],
    ask: async (text) => ({ ranges: (await redactor.detect(text)).detections.map(({ position }) => position) }),
  };
}

interface RedactPiiModule {
  readonly SyncRedactor: new () => { redact(text: string): string };
}

function redactPii({ SyncRedactor }: RedactPiiModule): Contender {
  const redactor = new SyncRedactor();
  return {
    name: `redact-pii ${PEERS['redact-pii']}`,
    looksFor: ['personal'],
    ask: (text) => ({ redacted: redactor.redact(text) }),
  };
}

interface SecretlintModule {
  lintSource(input: unknown): Promise<{ readonly messages: readonly { readonly range: readonly [number, number] }[] }>;
}

function secretlint({ lintSource }: SecretlintModule, { creator }: { readonly creator: unknown }): Contender {
  const id = '@secretlint/secretlint-rule-preset-recommend';
  const options = { config: { rules: [{ id, rule: creator, options: {} }] }, noPhysicFilePath: true };
  return {
    name: `secretlint ${PEERS['@secretlint/core']}, recommended rules`,
    looksFor: ['secret'],
    ask: async (content) => {
      const source = { filePath: 'text.txt', content, ext: '.txt', contentType: 'text' };
      return { ranges: (await lintSource({ source, options })).messages.map(({ range }) => range) };
    },
  };
}
