import type { z } from 'zod';
import type { Finding } from '../model/finding.js';
import type { SharedReading } from './engine/shared-reading.js';
import type { JointWords } from './engine/word-index.js';

/** The broad kind of a detector, which becomes the `category` of a violation. */
export type DetectorFamily = 'personal_data' | 'secret' | 'prompt_injection' | 'content';

/** What the host knows about a text besides its characters. Detectors may use it as context, never as content. */
export interface TextHint {
  /** The nearest JSON object key, such as `dob` or `last_name`. */
  readonly key?: string;
  /** Who wrote the text. */
  readonly role?: string;
}

/** One kind of thing that a detector finds, as policies name it. */
export interface CodeInfo {
  /** One line for the reference table. */
  readonly title: string;
  /** Whether the code is searched for when the policy does not say. */
  readonly enabled: boolean;
  /** Findings below this score are dropped unless the policy sets `min_score`. */
  readonly minScore: number;
}

/**
 * How far a finding can depend on characters outside itself, in UTF-16 units: `behind` on its left, `ahead` from its
 * start to the right. A stream may release text only as far as no detector can still change its mind.
 */
export type Reach = { readonly behind: number; readonly ahead: number } | 'whole_text';

/** A text and what is found in it: a test, and a line of the detector's page. */
export interface DetectorExample<Code extends string> {
  readonly text: string;
  /** The findings expected, in order of start, as code and matched slice. */
  readonly finds: readonly { readonly code: Code; readonly text: string }[];
  readonly why?: string;
  readonly key?: string;
}

/** What a detector says of itself. */
export interface DetectorMeta<Code extends string, Options> {
  /** Equals the folder's name, lower-kebab. */
  readonly id: string;
  /** Semantic version: a policy names `plugin: id@^1`. */
  readonly version: string;
  /** Raised whenever the same text may give other findings; stored with every decision. */
  readonly revision: number;
  readonly family: DetectorFamily;
  readonly summary: `Finds ${string}.`;
  readonly codes: Readonly<Record<Code, CodeInfo>>;
  /**
   * For a detector whose codes are the operator's own: the codes that these options define. They stand instead of
   * `codes`, which is then empty. Read them through `codesOf`.
   */
  readonly codesFrom?: (options: Options) => Readonly<Record<Code, CodeInfo>>;
  readonly reach: Reach;
  /** Options a policy may set beside the host's own (`plugin`, `min_score`, `timeout_ms`, `codes`). Strict: unknown keys refuse. */
  readonly options: z.ZodType<Options>;
  /** Run by the spec and printed on the page. */
  readonly examples: readonly DetectorExample<Code>[];
}

/** Finds in one text: the function that a detector makes once per policy and that runs for every text. */
export interface Scan<Code extends string = string> {
  /** @param shared what the detectors of a policy share about this text; to be handed on to a scan of `compilePatterns` */
  (text: string, hint?: TextHint, shared?: SharedReading): readonly Finding<Code>[];
  /** Reads a text that comes in pieces. A scan without it is streamed by its detector's reach. */
  readonly stream?: OpenStream<Code>;
}

/** A scan that says exactly how far a text that is still coming is settled. */
export type StreamableScan<Code extends string = string> = Scan<Code> & { readonly stream: OpenStream<Code> };

/** @param codes those whose findings matter to the host; of others nothing is told, and text need not wait for them */
export type OpenStream<Code extends string = string> = (
  hint: TextHint | undefined,
  codes: ReadonlySet<Code>,
) => ScanStream<Code>;

/** A scan of a text that comes in pieces: all its findings together are those of the scan of the whole text. */
export interface ScanStream<Code extends string = string> {
  /** Takes the next piece. */
  push(piece: string): Settled<Code>;
  /** The text is complete. */
  end(): Settled<Code>;
}

/** What a streamed scan is sure of, whatever comes next. Offsets count from the beginning of the text. */
export interface Settled<Code extends string = string> {
  /** Findings that became sure just now, by start, each told once. A later one may begin before an earlier one ends. */
  readonly findings: readonly Finding<Code>[];
  /** No finding that has not been told yet touches the text before this. Never decreases. */
  readonly upTo: number;
}

/** What the host passes besides the plugin's own options. */
export interface ScanSettings<Code extends string = string> {
  /** The codes to look for; findings of other codes must not be returned. */
  readonly codes: ReadonlySet<Code>;
  /**
   * Where the detectors of a policy add the words that they look for, so that a text is read once for all of them. To be
   * handed on to `compilePatterns`, which reads by an index of its own otherwise.
   */
  readonly words?: JointWords;
}

/**
 * A detector over text. `create` may precompute and may be called once per policy activation; the scan it returns is
 * synchronous, does no I/O, keeps no state between calls, and may throw: a throw is an outcome of the scan, not a crash.
 */
export interface Detector<Code extends string = string, Options = unknown> {
  readonly kind: 'text';
  readonly meta: DetectorMeta<Code, Options>;
  create(options: Options, settings: ScanSettings<Code>): Scan<Code>;
}

/** Identity that infers the code union and the options: an undeclared code or a misspelt field does not compile. */
export function defineDetector<const Code extends string, Options>(
  definition: Omit<Detector<Code, Options>, 'kind'>,
): Detector<Code, Options> {
  return { kind: 'text', ...definition };
}

/** The codes that a detector has under these options, which must be parsed already: declared ones, or the operator's own. */
export function codesOf<Code extends string, Options>(
  meta: DetectorMeta<Code, Options>,
  options: Options,
): Readonly<Record<Code, CodeInfo>> {
  return meta.codesFrom === undefined ? meta.codes : meta.codesFrom(options);
}

/** A detector of any code and options, as a registry holds it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- Detector is invariant in Code and Options; a registry holds all of them
export type AnyDetector = Detector<any, any>;
