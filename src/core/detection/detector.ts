import type { z } from 'zod';
import type { Finding } from '../model/finding.js';
import type { SharedReading } from './engine/shared-reading.js';
import type { JointWords } from './engine/word-index.js';

/** The broad kind of a detector, which becomes the `category` of a violation. */
export type DetectorFamily = 'personal_data' | 'secret' | 'prompt_injection' | 'content';

/** Information about a text besides its characters. Detectors may use it as context, never as content. */
export interface TextHint {
  /** The nearest JSON object key, such as `dob` or `last_name`. */
  readonly key?: string;
  /** The role of the text's author. */
  readonly role?: string;
}

/** A code of a detector, as policies name it. */
export interface CodeInfo {
  /** One line for the reference table. */
  readonly title: string;
  /** Whether the code is searched for by default. */
  readonly enabled: boolean;
  /** Findings below this score are dropped unless the policy sets `min_score`. */
  readonly minScore: number;
}

/**
 * How far a finding can depend on characters outside itself, in UTF-16 units: `behind` on its left, `ahead` from its start to the
 * right. A stream may release only text for which no detector can change its result any more.
 */
export type Reach = { readonly behind: number; readonly ahead: number } | 'whole_text';

/** A text with its findings, used as a test and as a line of the detector's page. */
export interface DetectorExample<Code extends string> {
  readonly text: string;
  /** The expected findings in order of their start, each as its code and the matched text. */
  readonly finds: readonly { readonly code: Code; readonly text: string }[];
  readonly why?: string;
  readonly key?: string;
}

/** The description of a detector. */
export interface DetectorMeta<Code extends string, Options> {
  /** The folder's name, in lower kebab case. */
  readonly id: string;
  /** Semantic version; a policy refers to it as `plugin: id@^1`. */
  readonly version: string;
  /** Increased whenever the findings in the same text may change; stored with every decision. */
  readonly revision: number;
  readonly family: DetectorFamily;
  readonly summary: `Finds ${string}.`;
  readonly codes: Readonly<Record<Code, CodeInfo>>;
  /**
   * For a detector whose codes the operator defines: returns the codes that the given options define. They replace `codes`, which is then
   * empty. Read them through `codesOf`.
   */
  readonly codesFrom?: (options: Options) => Readonly<Record<Code, CodeInfo>>;
  readonly reach: Reach;
  /**
   * Options that a policy may set in addition to the host's (`plugin`, `min_score`, `timeout_ms`, `codes`). Strict: unknown keys are
   * rejected.
   */
  readonly options: z.ZodType<Options>;
  /** Run by the spec and printed on the page. */
  readonly examples: readonly DetectorExample<Code>[];
}

/** Scans one text: a detector creates this function once per policy, and it runs for every text. */
export interface Scan<Code extends string = string> {
  /** @param shared the shared reading of this text; pass it on to a scan from `compilePatterns` */
  (text: string, hint?: TextHint, shared?: SharedReading): readonly Finding<Code>[];
  /** Scans a text that arrives in pieces. Without it, streams use the scan and the detector's reach. */
  readonly stream?: OpenStream<Code>;
}

/** A scan that reports exactly up to which position of a growing text its findings are final. */
export type StreamableScan<Code extends string = string> = Scan<Code> & { readonly stream: OpenStream<Code> };

/** @param codes the codes that matter to the host; findings with other codes are not returned and hold back no text */
export type OpenStream<Code extends string = string> = (
  hint: TextHint | undefined,
  codes: ReadonlySet<Code>,
) => ScanStream<Code>;

/** A scan of a text that arrives in pieces. All of its findings together equal the findings of a scan of the whole text. */
export interface ScanStream<Code extends string = string> {
  /** Adds the next piece. */
  push(piece: string): Settled<Code>;
  /** Completes the text. */
  end(): Settled<Code>;
}

/** The final results of a streamed scan, independent of further text. Offsets count from the beginning of the text. */
export interface Settled<Code extends string = string> {
  /** Findings that became final since the last call, sorted by start; each is returned once. Findings may overlap. */
  readonly findings: readonly Finding<Code>[];
  /** No later finding touches the text before this offset. Never decreases. */
  readonly upTo: number;
}

/** Settings from the host in addition to the plugin's options. */
export interface ScanSettings<Code extends string = string> {
  /** The codes to look for; findings of other codes must not be returned. */
  readonly codes: ReadonlySet<Code>;
  /**
   * Collects the words that the detectors of a policy search for, so that one search covers all of them. Pass it on to
   * `compilePatterns`, which otherwise uses an index of its own.
   */
  readonly words?: JointWords;
}

/**
 * A detector over text. `create` may precompute and may be called once per policy activation; the scan it returns is synchronous, does
 * no I/O, keeps no state between calls, and may throw: an error makes the outcome `failed` and is not a crash.
 */
export interface Detector<Code extends string = string, Options = unknown> {
  readonly kind: 'text';
  readonly meta: DetectorMeta<Code, Options>;
  create(options: Options, settings: ScanSettings<Code>): Scan<Code>;
}

/** Returns the definition; its type parameters are inferred, so an undeclared code or a misspelt field does not compile. */
export function defineDetector<const Code extends string, Options>(
  definition: Omit<Detector<Code, Options>, 'kind'>,
): Detector<Code, Options> {
  return { kind: 'text', ...definition };
}

/** The codes of a detector with these parsed options: its declared codes, or those that the operator defined. */
export function codesOf<Code extends string, Options>(
  meta: DetectorMeta<Code, Options>,
  options: Options,
): Readonly<Record<Code, CodeInfo>> {
  return meta.codesFrom === undefined ? meta.codes : meta.codesFrom(options);
}

/** A detector of any code and options, as a registry holds it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- Detector is invariant in Code and Options; a registry holds all of them
export type AnyDetector = Detector<any, any>;
