import { memoizeByObject } from '../model/memoize.js';

/** Invisible characters: Unicode's Default_Ignorable_Code_Point, controls, format characters, and the empty Braille cell. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/gu;
/** What stands between the parts of a qualified name: anything but letters, digits, `_` and `-`; these two only doubled. */
const BETWEEN = /[^\p{L}\p{M}\p{N}\ud800-\udfff_-]/u;
/** What may follow a name: brackets, or the number of a call as in `functions.run_shell:0`. */
const ENDING = /[^\p{L}\p{M}\p{N}_-]{1,8}\d{0,8}$/u;
/** Marks of a model's own language that servers leave behind a name, as in `run_shell<|channel|>commentary`. */
const MODEL_MARKS = /<\|[^]*$/;
/** Arguments that a model wrote behind a name, as in `run_shell({"command":"ls"})`. */
const WITH_ARGUMENTS = /(?<=.)[([{].*$/s;
/** How some clients name a tool of a server, with single signs between: VS Code `mcp_server_tool`, LibreChat `tool_mcp_server`. */
const SERVER_BEFORE = /^mcp[_-]/;
/** Cline's sign between a server's key and a tool; others write `server_mcp_tool`. */
const MARKS_BEFORE = ['0mcp0', '_mcp_', '-mcp-'];
/** What may stand behind a tool: LibreChat's servers and domains, and LobeChat's kinds of tools, as in `ops____run_shell____mcp`. */
const BEHIND = [/(?<=.)_(?:mcp|action)_.+$/s, /(?<=.)____[a-z]+$/];
/** Nearly all names are in their normal form already. */
const PLAIN = /^[a-z0-9_.-]{0,256}$/;

/**
 * The one form in which names of tools are compared: Unicode NFKC, without regard to case, without invisible characters,
 * and without white space around it. What a model or a provider writes in another spelling is the same name.
 */
export function toolNameForm(name: string): string {
  return PLAIN.test(name) ? name : folded(folded(name));
}

/** One pass can make what another one changes: what is left of `ﬁ\u00ad` in capitals, for one. */
function folded(name: string): string {
  return name.normalize('NFKC').replace(INVISIBLE, '').toUpperCase().toLowerCase().normalize('NFKC').trim();
}

/** Names that others are compared with. */
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

  /** The names of a list; lists of a policy are the same object every time. */
  static readonly of = memoizeByObject((names: readonly unknown[]): ToolNames => new ToolNames(names));

  has(name: string): boolean {
    return this.forms.has(toolNameForm(name));
  }

  /**
   * Whether a name, or its last part, is one of these: `run_shell` is what `mcp__x__run_shell`, `mcp--x--run_shell`,
   * `functions.run_shell`, `x/run_shell` and `x:run_shell` end with, but not `dry_run_shell`; behind `mcp_`, and around `_mcp_`, a
   * single `_` is enough, as in `mcp_x_run_shell` and `run_shell_mcp_x`. A name here may be qualified itself.
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

/** A name as it came, without what may follow a name, and without a model's marks. */
function spellingsOf(form: string): readonly string[] {
  const endings = [ENDING, WITH_ARGUMENTS, MODEL_MARKS, ...BEHIND];
  return [form, ...endings.map((ending) => form.replace(ending, '').trimEnd()).filter((each) => each !== form)];
}

/** Whether a last part begins here: behind what stands between parts. */
function beginsPart(form: string, at: number): boolean {
  const before = form[at - 1]!;
  if ((before === '_' || before === '-') && SERVER_BEFORE.test(form)) return true;
  if (MARKS_BEFORE.some((mark) => form.endsWith(mark, at))) return true;
  return ((before === '_' || before === '-') && form[at - 2] === before) || BETWEEN.test(before);
}

/** Every rule about tools asks about the name of the same call. Names come from models: few are kept, and no long ones. */
const MAX_KEPT = 64;
const MAX_KEPT_LENGTH = 128;
const lastParts = new Map<string, readonly string[]>();

/** A name in all its spellings, and each of their last parts. */
function lastPartsOf(name: string): readonly string[] {
  const known = lastParts.get(name);
  if (known !== undefined) return known;
  // In memory of its own: a part of a body keeps all of it in memory.
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
