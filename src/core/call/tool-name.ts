import { memoizeByObject } from '../model/memoize.js';

/** Invisible characters: Unicode's Default_Ignorable_Code_Point, controls, format characters, and the empty Braille cell. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/gu;
/** A separator between the parts of a qualified name: anything but letters, digits, `_` and `-`; these two separate only if doubled. */
const BETWEEN = /[^\p{L}\p{M}\p{N}\ud800-\udfff_-]/u;
/** A suffix of a name: brackets, or the number of a call as in `functions.run_shell:0`. */
const ENDING = /[^\p{L}\p{M}\p{N}_-]{1,8}\d{0,8}$/u;
/** Control tokens of a model that servers leave after a name, as in `run_shell<|channel|>commentary`. */
const MODEL_MARKS = /<\|[^]*$/;
/** Arguments that a model wrote after a name, as in `run_shell({"command":"ls"})`. */
const WITH_ARGUMENTS = /(?<=.)[([{].*$/s;
/**
 * The prefix of names in which some clients join server and tool with single separators: VS Code writes `mcp_server_tool`, LibreChat
 * `tool_mcp_server`.
 */
const SERVER_BEFORE = /^mcp[_-]/;
/** Separators between server and tool: Cline's, and those of other clients, as in `server_mcp_tool`. */
const MARKS_BEFORE = ['0mcp0', '_mcp_', '-mcp-'];
/** Suffixes after a tool: LibreChat's servers and domains, and LobeChat's types of tools, as in `ops____run_shell____mcp`. */
const BEHIND = [/(?<=.)_(?:mcp|action)_.+$/s, /(?<=.)____[a-z]+$/];
/** Matches names that are already in normal form, as nearly all are. */
const PLAIN = /^[a-z0-9_.-]{0,256}$/;

/**
 * The normal form for comparing names of tools: Unicode NFKC, lower case, without invisible characters and surrounding white space. A name
 * in another spelling by a model or a provider has the same form.
 */
export function toolNameForm(name: string): string {
  return PLAIN.test(name) ? name : folded(folded(name));
}

/** Called twice, because the result of one pass may change again in the next, for example `ﬁ\u00ad` in capitals. */
function folded(name: string): string {
  return name.normalize('NFKC').replace(INVISIBLE, '').toUpperCase().toLowerCase().normalize('NFKC').trim();
}

/** A set of names to compare other names with. */
export class ToolNames {
  /** In normal form. */
  readonly list: readonly string[];
  private readonly forms: ReadonlySet<string>;
  private readonly longest: number;

  constructor(names: readonly unknown[]) {
    this.forms = new Set(names.filter((name) => typeof name === 'string').map(toolNameForm));
    this.list = [...this.forms];
    this.longest = this.list.reduce((longest, { length }) => Math.max(longest, length), 0);
  }

  /** The names of a list, cached by object, because lists of a policy are the same object every time. */
  static readonly of = memoizeByObject((names: readonly unknown[]): ToolNames => new ToolNames(names));

  has(name: string): boolean {
    return this.forms.has(toolNameForm(name));
  }

  /**
   * Whether a name or its last part is in this set. `run_shell` is the last part of `mcp__x__run_shell`, `mcp--x--run_shell`,
   * `functions.run_shell`, `x/run_shell` and `x:run_shell`, but not of `dry_run_shell`. After `mcp_` and around `_mcp_`, a single `_`
   * is enough, as in `mcp_x_run_shell` and `run_shell_mcp_x`. Names in the set may be qualified themselves.
   */
  hasLastPartOf(name: string): boolean {
    if (name.length <= MAX_KEPT_LENGTH) return lastPartsOf(name).some((part) => this.forms.has(part));
    return spellingsOf(toolNameForm(name)).some((form) => this.endsSo(form));
  }

  private endsSo(form: string): boolean {
    if (this.forms.has(form)) return true;
    for (let at = Math.max(1, form.length - this.longest); at < form.length; at++) {
      if (beginsPart(form, at) && this.forms.has(form.slice(at))) return true;
    }
    return false;
  }
}

/** All kinds of suffixes. */
const SUFFIXES: readonly RegExp[] = [MODEL_MARKS, WITH_ARGUMENTS, ...BEHIND, ENDING];
/** The maximum number of suffixes that are removed from one name, and the longest name from which more than one is removed. */
const MOST_SUFFIXES = 3;
const LONGEST_WITH_SEVERAL = 4_096;

/** A name without some kinds of suffixes, and the kinds that it may still have. */
interface Shortened {
  readonly name: string;
  readonly kinds: readonly RegExp[];
}

/**
 * A name as written, and without its suffixes. Models, servers and clients each add one of their own, so several are removed, but each kind
 * only once: `run_shell____help____mcp` is not a name of `run_shell`.
 */
function spellingsOf(form: string): readonly string[] {
  const found = new Set([form]);
  let last: readonly Shortened[] = [{ name: form, kinds: SUFFIXES }];
  const most = form.length > LONGEST_WITH_SEVERAL ? 1 : MOST_SUFFIXES;
  for (let count = 0; count < most; count++) {
    const next: Shortened[] = [];
    for (const { name, kinds } of last) {
      for (const kind of kinds) {
        const shorter = name.replace(kind, '').trimEnd();
        if (found.has(shorter)) continue;
        found.add(shorter);
        next.push({ name: shorter, kinds: kinds.filter((other) => other !== kind) });
      }
    }
    last = next;
  }
  return [...found];
}

/** Whether a last part begins at this index, after a separator. */
function beginsPart(form: string, at: number): boolean {
  const before = form[at - 1]!;
  if ((before === '_' || before === '-') && SERVER_BEFORE.test(form)) return true;
  if (MARKS_BEFORE.some((mark) => form.endsWith(mark, at))) return true;
  return ((before === '_' || before === '-') && form[at - 2] === before) || BETWEEN.test(before);
}

/**
 * Size of the cache of last parts. Every rule about tools checks the name of the same call. Names come from models, so only a few short
 * ones are cached.
 */
const MAX_KEPT = 64;
const MAX_KEPT_LENGTH = 128;
const lastParts = new Map<string, readonly string[]>();

/** All spellings of a name, and each of their last parts. */
function lastPartsOf(name: string): readonly string[] {
  const known = lastParts.get(name);
  if (known !== undefined) return known;
  // Copied, because a slice of a body keeps the whole body in memory.
  const own = [...name].join('');
  const parts = new Set<string>();
  for (const form of spellingsOf(toolNameForm(own))) {
    parts.add(form);
    for (let at = 1; at < form.length; at++) if (beginsPart(form, at)) parts.add(form.slice(at));
  }
  if (lastParts.size >= MAX_KEPT) lastParts.clear();
  const made = [...parts];
  lastParts.set(own, made);
  return made;
}
