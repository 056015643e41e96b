import { RE2JS } from 're2js';
import { samplesOf } from '../policy-diff/index.js';
import { entityNamed, USUAL_ENTITIES, type Entity } from './entities.js';
import type { SourceNode } from './source-node.js';

export type ImportAction = 'block' | 'redact' | 'flag';
export type ImportStage = 'pre' | 'post';
/** A detector that an imported policy declares. */
export type ImportDetector = Entity['detector'] | 'prompt_injection' | 'patterns' | 'words';

/** A part of the source that the policy does not contain, or contains with a different meaning. */
export interface ImportNote {
  readonly line: number;
  /** Path in the source, such as `guardrails[0].litellm_params.mode`; empty for a line of Colang. */
  readonly path: string;
  /** True if no part of it is in the policy. */
  readonly isLost: boolean;
  readonly why: string;
}

/** A detector that the environment of the imported rules already has. */
export interface PresentDetector {
  readonly key: string;
  /** The codes that it is configured to find. */
  readonly codes: readonly string[];
}

/** The action at a stage for findings of a detector. */
export interface DetectorAction {
  readonly detector: ImportDetector;
  readonly codes: Set<string>;
  readonly stage: ImportStage;
  readonly action: ImportAction;
  /** The message for refused callers. */
  readonly message?: string;
  /** The minimum score of a finding. */
  readonly score?: number;
}

/** How another system interprets its expressions. In Weir `^` and `$` match at line boundaries, and `.` does not match line breaks. */
export interface PatternFlags {
  readonly isCaseSensitive: boolean;
  /** Whether `^` and `$` match at line boundaries. */
  readonly isMultiline?: boolean;
  /** Whether `.` also matches line breaks. */
  readonly isDotAll?: boolean;
  /** Whether `\w`, `\d`, `\s` and `\b` consider only ASCII characters. */
  readonly isAscii?: boolean;
}

export interface ImportedPattern {
  /** The node of the pattern in the source. */
  readonly node: SourceNode;
  readonly pattern: string;
  readonly isCaseSensitive: boolean;
  /** A text that the pattern matches; undefined if none could be generated. */
  readonly sample: string | undefined;
}

/** The allowed and denied tools of a source, each in its order. */
export interface ImportedTools {
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
  readonly isDeniedByDefault: boolean;
}

const STRENGTH = { flag: 0, redact: 1, block: 2 } as const;
const MAX_WORD = 100;
const MAX_WORDS_IN_ALL = 50_000;
const MAX_LISTED_LINES = 40;

/**
 * The intermediate result of an import: actions on findings, patterns, words, tools, and notes about parts that were not converted
 * exactly.
 */
export class Draft {
  readonly notes: ImportNote[] = [];
  readonly wishes: DetectorAction[] = [];
  readonly patterns = new Map<string, ImportedPattern>();
  readonly words = new Map<string, string[]>();
  /** Pairs of word lists: a text must contain a word of both lists. */
  readonly pairs: { readonly stage: ImportStage; readonly first: string; readonly second: string }[] = [];
  tools: ImportedTools | undefined;
  #hasNotedAscii = false;

  constructor(
    /** Prefix of the codes of patterns and words, so that they differ from the codes of other detectors. */
    private readonly name: string,
    /** All codes of each detector. */
    private readonly codes: Readonly<Record<Entity['detector'], ReadonlySet<string>>>,
    /** The detectors that the environment already has, at most one per plugin. */
    readonly present: ReadonlyMap<ImportDetector, PresentDetector>,
    /** The reason why the `regex` detector rejects these patterns; undefined if it accepts them. */
    private readonly refusalOf: (patterns: ReadonlyMap<string, ImportedPattern>) => string | undefined,
  ) {}

  /** Notes that a part of the source is not in the policy at all. */
  lose(node: SourceNode, why: string): void {
    this.#note(node, true, why);
    node.settle();
  }

  /** Notes that a part of the source has a different meaning in the policy. */
  change(node: SourceNode, why: string): void {
    this.#note(node, false, why);
  }

  #note({ line, path }: SourceNode, isLost: boolean, why: string): void {
    // A part that is converted for both stages is noted once.
    if (this.notes.some((one) => one.path === path && one.why === why)) return;
    this.notes.push({ line, path, isLost, why });
  }

  /** Adds an action for a code of a detector. Of two actions for the same code, the stronger one is kept. */
  act(wish: Omit<DetectorAction, 'codes' | 'stage'>, code: string, stages: readonly ImportStage[]): void {
    for (const stage of stages) {
      const others = this.wishes.filter(
        (one) => one.detector === wish.detector && one.stage === stage && one.codes.has(code),
      );
      if (others.some(({ action }) => STRENGTH[action] >= STRENGTH[wish.action])) continue;
      for (const other of others) other.codes.delete(code);
      const same = this.wishes.find(
        (one) =>
          one.detector === wish.detector &&
          one.stage === stage &&
          one.action === wish.action &&
          one.score === wish.score &&
          one.message === wish.message,
      );
      if (same === undefined) this.wishes.push({ ...wish, stage, codes: new Set([code]) });
      else same.codes.add(code);
    }
  }

  /** Adds an action for an entity, given the other system's name for it. */
  entity(node: SourceNode, name: string, action: ImportAction, stages: readonly ImportStage[], message?: string): void {
    const entity = entityNamed(name, this.codes);
    if (entity === undefined) return this.lose(node, `no detector of Weir finds ${shown(name)}`);
    if (!this.#looksFor(entity)) {
      const { key } = this.present.get(entity.detector)!;
      return this.lose(
        node,
        `the detector ${key} of this environment does not look for ${entity.code}: add it to its codes`,
      );
    }
    node.settle();
    this.act({ detector: entity.detector, action, ...(message !== undefined && { message }) }, entity.code, stages);
  }

  #looksFor({ detector, code }: Entity): boolean {
    return this.present.get(detector)?.codes.includes(code) ?? true;
  }

  /** Adds an action for every code of the `secrets` detector. */
  credentials(stages: readonly ImportStage[], action: ImportAction): void {
    for (const code of this.present.get('secrets')?.codes ?? this.codes.secrets)
      this.act({ detector: 'secrets', action }, code, stages);
  }

  /** Adds an action for every entity that Presidio finds by patterns by default. */
  usualEntities(stages: readonly ImportStage[], action: ImportAction): void {
    for (const name of USUAL_ENTITIES) {
      const entity = entityNamed(name, this.codes);
      if (entity !== undefined && this.#looksFor(entity))
        this.act({ detector: entity.detector, action }, entity.code, stages);
    }
  }

  /**
   * Adds a regular expression, unless RE2 or the detector rejects it.
   *
   * @returns its code, for `act`
   */
  pattern(node: SourceNode, name: string, source: string, flags: PatternFlags): string | undefined {
    const code = codeFor(`${this.name} ${name}`, this.patterns);
    const { isCaseSensitive } = flags;
    const pattern = withFlags(source, flags);
    let compiled: RE2JS;
    try {
      compiled = RE2JS.compile(pattern, RE2JS.MULTILINE | (isCaseSensitive ? 0 : RE2JS.CASE_INSENSITIVE));
    } catch {
      this.lose(node, 'RE2 has no look-ahead, look-behind, backreferences or possessive repeats');
      return undefined;
    }
    const sample = samplesOf(source)
      .flatMap((text) => [text, `see ${text} here`])
      .find((text) => text.trim() === text && !/[{}\n]/.test(text) && compiled.matcher(text).find());
    const imported = { node, pattern, isCaseSensitive, sample };
    const problem = compiled.matcher('').find()
      ? 'the expression matches an empty text'
      : this.refusalOf(new Map([[code, imported]]));
    if (problem !== undefined) {
      this.lose(node, problem);
      return undefined;
    }
    if (sample === undefined) this.change(node, 'no matching sample could be generated: write a test of the pattern');
    this.#noteAsciiOnly(node, source, flags);
    this.patterns.set(code, imported);
    node.settle();
    return code;
  }

  /** Notes a class that matches only ASCII, once per import: most expressions contain such a class, and few texts have non-ASCII digits. */
  #noteAsciiOnly(node: SourceNode, source: string, { isAscii }: PatternFlags): void {
    if (isAscii === true || this.#hasNotedAscii || !/\\[wWdDsSbB]/.test(source)) return;
    this.#hasNotedAscii = true;
    this.change(node, 'here and below, \\w, \\d, \\s and \\b match only ASCII characters');
  }

  /** Drops the last patterns if the detector rejects all of them together. */
  #fitPatterns(): void {
    const all = [...this.patterns];
    const problem = all.length === 0 ? undefined : this.refusalOf(this.patterns);
    if (problem === undefined) return;
    let [few, many] = [0, all.length];
    while (many - few > 1) {
      const middle = Math.floor((few + many) / 2);
      if (this.refusalOf(new Map(all.slice(0, middle))) === undefined) few = middle;
      else many = middle;
    }
    for (const [code, { node }] of all.slice(few)) {
      this.patterns.delete(code);
      for (const { detector, codes } of this.wishes) if (detector === 'patterns') codes.delete(code);
      this.lose(node, problem);
    }
  }

  /** Adds a list of words, without those that the `keywords` detector rejects. @returns its code, for `act` */
  wordList(
    name: string,
    nodes: readonly (readonly [node: SourceNode, word: string | undefined])[],
  ): string | undefined {
    const code = codeFor(`${this.name} ${name}`, this.words);
    const seen = new Set<string>();
    let room = MAX_WORDS_IN_ALL - [...this.words.values()].flat().reduce((sum, { length }) => sum + length, 0);
    for (const [node, raw = ''] of nodes) {
      const word = raw.trim();
      if (word === '' || word.length > MAX_WORD || word.length > room || /[\r\n]/.test(word)) {
        this.lose(
          node,
          `a keyword has 1 to ${MAX_WORD} characters in one line, and all lists together have ${MAX_WORDS_IN_ALL}`,
        );
      } else if (!seen.has(word.toLowerCase())) {
        seen.add(word.toLowerCase());
        room -= word.length;
        if (raw !== word) this.change(node, 'imported without the spaces around the keyword');
        this.words.set(code, [...(this.words.get(code) ?? []), word]);
      }
      node.settle();
    }
    return this.words.has(code) ? code : undefined;
  }

  /** Notes the parts of the source that the import did not read, sorted by line. */
  finish(root: SourceNode): void {
    this.#fitPatterns();
    const unread = root.unread();
    for (const { line, path } of unread.slice(0, MAX_LISTED_LINES))
      this.notes.push({ line, path, isLost: true, why: 'Weir has no equivalent, or this part is not about rules' });
    const rest = unread.slice(MAX_LISTED_LINES);
    const parts = rest.length === 1 ? 'one more part' : `${rest.length} more parts`;
    if (rest[0] !== undefined)
      this.notes.push({ ...rest[0], isLost: true, why: `${parts} from this line on could not be converted` });
    this.notes.sort((a, b) => a.line - b.line);
  }
}

/** The expression, prefixed with the flags in which the source differs from the detector. */
function withFlags(source: string, { isMultiline, isDotAll }: PatternFlags): string {
  const bare = source.replace(/\\./gs, '').replace(/\[[^\]]*\]/g, '');
  const on = isDotAll === true && bare.includes('.') ? 's' : '';
  const off = isMultiline !== true && /[\^$]/.test(bare) ? '-m' : '';
  return on + off === '' ? source : `(?${on}${off})${source}`;
}

/** A name of the source for a note; `it` instead of a text that does not look like a name. */
function shown(name: string): string {
  return /^[\w .-]{1,60}$/.test(name) ? name : 'it';
}

/** An unused code of letters, digits and underscores. */
function codeFor(name: string, taken: ReadonlyMap<string, unknown>): string {
  const words = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const plain = (/^[A-Za-z]/.test(words) ? words : `P_${words}`).toUpperCase().slice(0, 40);
  for (let number = 1; ; number += 1) {
    const code = number === 1 ? plain : `${plain}_${number}`;
    if (!taken.has(code)) return code;
  }
}
