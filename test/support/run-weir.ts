import { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { run } from '../../cli/run.js';
import { defineDetector, describedDetector, type PluginCatalog } from '../../src/core/index.js';

export interface WeirRun {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface WeirOptions {
  /** The input; an iterable gives the chunks in which it arrives. */
  readonly stdin?: string | Iterable<string | Buffer> | Readable;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Replaces the plugins that come with Weir. */
  readonly catalog?: PluginCatalog;
  /** Whether stderr is a terminal. */
  readonly terminal?: boolean;
  readonly nowMs?: () => number;
  readonly signal?: AbortSignal;
  readonly stdout?: Writable;
  /** The time for which the command may continue after an interruption. */
  readonly graceMs?: number;
}

/** Runs `weir` inside this process with its own streams. Detectors are only descriptions until a command loads them. */
export async function runWeir(argv: readonly string[], options: WeirOptions = {}): Promise<WeirRun> {
  const { catalog } = options;
  const out = new Collector();
  const err = new Collector();
  const { stdin = '' } = options;
  const exit = await run(
    argv,
    {
      stdin: stdin instanceof Readable ? stdin : Readable.from(typeof stdin === 'string' ? [stdin] : stdin),
      stdout: options.stdout ?? out,
      stderr: Object.assign(err, { isTTY: options.terminal === true }),
      env: options.env ?? {},
      cwd: options.cwd ?? process.cwd(),
      nowMs: options.nowMs ?? (() => 0),
      signal: options.signal ?? new AbortController().signal,
    },
    {
      ...(catalog !== undefined && { catalog: () => Promise.resolve(described(catalog)) }),
      ...(options.graceMs !== undefined && { graceMs: options.graceMs }),
    },
  );
  return { exit, stdout: out.text, stderr: err.text };
}

/** Only describes the detectors, as the command line does with Weir's own: a command that forgets to load them fails. */
function described(catalog: PluginCatalog): PluginCatalog {
  const detectors = catalog.detectors.map((one) => (one.kind === 'text' ? describedDetector(one.meta) : one));
  return { ...catalog, detectors, whole: (ids) => catalog.whole?.(ids) ?? Promise.resolve(catalog) };
}

/** `runWeir` with the detector `letters` as its only plugin. */
export function runOnLetters(argv: readonly string[], options: WeirOptions = {}): Promise<WeirRun> {
  return runWeir(argv, { catalog: LETTERS, ...options });
}

class Collector extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

const code = (enabled: boolean) => ({ title: 'A letter', enabled, minScore: 0.5 });

/** A detector that finds letters: `X` is on, `Y` is off, `Z` throws. */
export const letters = defineDetector({
  meta: {
    id: 'some-letters',
    version: '1.0.0',
    revision: 1,
    family: 'content',
    summary: 'Finds letters.',
    codes: { X: code(true), Y: code(false) },
    reach: { behind: 0, ahead: 1 },
    options: z.strictObject({ only_upper: z.boolean().default(false) }),
    examples: [],
  },
  create:
    (options: { only_upper: boolean }, { codes }) =>
    (text) => {
      if (text.includes('Z')) throw new Error(`cannot read ${text}`);
      return [...text.matchAll(options.only_upper ? /[XY]/g : /[xy]/gi)]
        .map((match) => ({
          code: match[0].toUpperCase() as 'X' | 'Y',
          start: match.index,
          end: match.index + 1,
          score: match[0] === 'x' ? 0.75 : 1,
        }))
        .filter((finding) => codes.has(finding.code));
    },
});

export const LETTERS: PluginCatalog = { detectors: [letters], structures: [], ledgers: [] };
