import { RE2JS } from 're2js';
import { samplesOf } from '../policy-diff/index.js';
import { entityNamed, USUAL_ENTITIES, type Entity } from './entities.js';
import type { SourceNode } from './source-node.js';

export type ImportAction = 'block' | 'redact' | 'flag';
export type ImportStage = 'pre' | 'post';
/** A detector that an imported policy declares. */
export type ImportDetector = Entity['detector'] | 'prompt_injection' | 'patterns' | 'words';

/** Something of the source that the policy does not say, or says otherwise. */
export interface ImportNote {
  readonly line: number;
  /** Where in the source, such as `guardrails[0].litellm_params.mode`; empty for a line of a language of its own. */
  readonly path: string;
  /** Whether nothing of it is in the policy. */
  readonly isLost: boolean;
  readonly why: string;
}

/** A detector of the environment that the rules go into. */
export interface PresentDetector {
  readonly key: string;
  /** What it looks for. */
  readonly codes: readonly string[];
}

/** What is to happen at a stage with what a detector finds. */
export interface DetectorAction {
  readonly detector: ImportDetector;
  readonly codes: Set<string>;
  readonly stage: ImportStage;
  readonly action: ImportAction;
  /** What the person at the other end reads. */
  readonly message?: string;
  /** The score from which a finding counts. */
  readonly score?: number;
}

/** How another system reads its expressions. Weir's `^` and `$` stand for the ends of lines, and its `.` for no line break. */
export interface PatternFlags {
  readonly isCaseSensitive: boolean;
  /** Whether `^` and `$` stand for the ends of lines. */
  readonly isMultiline?: boolean;
  /** Whether `.` also stands for line breaks. */
  readonly isDotAll?: boolean;
  /** Whether `\w`, `\d`, `\s` and `\b` know no other characters than those of ASCII. */
  readonly isAscii?: boolean;
}

export interface ImportedPattern {
  /** Where it stands in the source. */
  readonly node: SourceNode;
  readonly pattern: string;
  readonly isCaseSensitive: boolean;
  /** A text that it finds, if one could be made up. */
  readonly sample: string | undefined;
}

/** A list of tools in the order of a source that asks them one after the other. */
export interface ImportedTools {
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
  readonly isDeniedByDefault: boolean;
}

const STRENGTH = { flag: 0, redact: 1, block: 2 } as const;
const MAX_WORD = 100;
const MAX_WORDS_IN_ALL = 50_000;
const MAX_LINES_TOLD = 40;

/** What an import has understood so far: findings to act on, patterns, words, tools, and what could not be carried over. */
export class Draft {
  readonly notes: ImportNote[] = [];
  readonly wishes: DetectorAction[] = [];
  readonly patterns = new Map<string, ImportedPattern>();
  readonly words = new Map<string, string[]>();
  /** Pairs of lists of which a text of both is meant. */
  readonly pairs: { readonly stage: ImportStage; readonly first: string; readonly second: string }[] = [];
  tools: ImportedTools | undefined;
  #hasToldAscii = false;

  constructor(
    /** First part of the codes of patterns and words, which must not be those of another detector. */
    private readonly name: string,
    /** What detectors can look for. */
    private readonly codes: Readonly<Record<Entity['detector'], ReadonlySet<string>>>,
    /** Detectors that the environment has already: of each plugin there is one. */
    readonly present: ReadonlyMap<ImportDetector, PresentDetector>,
    /** Why the detector of patterns cannot have these; undefined: it can. */
    private readonly refusalOf: (patterns: ReadonlyMap<string, ImportedPattern>) => string | undefined,
  ) {}

  /** Tells that nothing of a part is in the policy. */
  lose(node: SourceNode, why: string): void {
    this.#note(node, true, why);
    node.settle();
  }

  /** Tells that the policy says a part otherwise. */
  change(node: SourceNode, why: string): void {
    this.#note(node, false, why);
  }

  #note({ line, path }: SourceNode, isLost: boolean, why: string): void {
    // A part that is asked about for both stages is told once.
    if (this.notes.some((one) => one.path === path && one.why === why)) return;
    this.notes.push({ line, path, isLost, why });
  }

  /** Has something happen to what a detector finds. Of two actions on the same finding the stronger one counts. */
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

  /** An entity under the name that the other system has for it. */
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

  /** Something happens to every kind of credential that the detector finds. */
  credentials(stages: readonly ImportStage[], action: ImportAction): void {
    for (const code of this.present.get('secrets')?.codes ?? this.codes.secrets)
      this.act({ detector: 'secrets', action }, code, stages);
  }

  /** Something happens to what Presidio finds by patterns. */
  usualEntities(stages: readonly ImportStage[], action: ImportAction): void {
    for (const name of USUAL_ENTITIES) {
      const entity = entityNamed(name, this.codes);
      if (entity !== undefined && this.#looksFor(entity))
        this.act({ detector: entity.detector, action }, entity.code, stages);
    }
  }

  /**
   * A regular expression, if RE2 can read it and the detector can have it.
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
    if (sample === undefined) this.change(node, 'no text could be made up that it finds: write a test of it');
    this.#tellAscii(node, source, flags);
    this.patterns.set(code, imported);
    node.settle();
    return code;
  }

  /** Said once: most expressions have such a part, and most texts no digit that is not of ASCII. */
  #tellAscii(node: SourceNode, source: string, { isAscii }: PatternFlags): void {
    if (isAscii === true || this.#hasToldAscii || !/\\[wWdDsSbB]/.test(source)) return;
    this.#hasToldAscii = true;
    this.change(node, 'here and below, \\w, \\d, \\s and \\b stand for characters of ASCII alone');
  }

  /** Leaves out the last patterns when the detector cannot have all of them together. */
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

  /** A list of words, without those that keywords cannot hold. @returns its code, for `act` */
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
          `a keyword has 1 to ${MAX_WORD} characters in one line, all lists together ${MAX_WORDS_IN_ALL}`,
        );
      } else if (!seen.has(word.toLowerCase())) {
        seen.add(word.toLowerCase());
        room -= word.length;
        if (raw !== word) this.change(node, 'without the spaces around it');
        this.words.set(code, [...(this.words.get(code) ?? []), word]);
      }
      node.settle();
    }
    return this.words.has(code) ? code : undefined;
  }

  /** Tells what nobody has looked at, line by line. */
  finish(root: SourceNode): void {
    this.#fitPatterns();
    const unread = root.unread();
    for (const { line, path } of unread.slice(0, MAX_LINES_TOLD))
      this.notes.push({ line, path, isLost: true, why: 'Weir has nothing for it, or it is not about rules' });
    const [next] = unread.slice(MAX_LINES_TOLD);
    if (next !== undefined)
      this.notes.push({ ...next, isLost: true, why: `and ${unread.length - MAX_LINES_TOLD - 1} parts more` });
    this.notes.sort((a, b) => a.line - b.line);
  }
}

/** The expression with what its flags say, as far as detectors read expressions otherwise. */
function withFlags(source: string, { isMultiline, isDotAll }: PatternFlags): string {
  const bare = source.replace(/\\./gs, '').replace(/\[[^\]]*\]/g, '');
  const on = isDotAll === true && bare.includes('.') ? 's' : '';
  const off = isMultiline !== true && /[\^$]/.test(bare) ? '-m' : '';
  return on + off === '' ? source : `(?${on}${off})${source}`;
}

/** A name of the source, without what no name has: it may be anything. */
function shown(name: string): string {
  return /^[\w .-]{1,60}$/.test(name) ? name : 'it';
}

/** A code of letters, digits and underscores that is not taken yet. */
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
