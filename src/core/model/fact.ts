/** Facts are the input of rules. They are typed, they never reject, and "unknown" is a value, not an exception. */
export type Stage = 'pre' | 'post' | 'tool';
export const STAGES = ['pre', 'post', 'tool'] as const satisfies readonly Stage[];

export type FactType =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'string_set'
  /** A list of tool calls `{name, args}`; read with `some` and `none`. */
  | 'tool_calls'
  /** A list of tool results `{name}`. */
  | 'tool_results'
  /** Any JSON value: the type is known only at run time (`metadata.*`, `tool.args.*`). */
  | 'any'
  /** Data flow inside the conversation; read with the leaf `flow`. */
  | 'flow';

/** A fact that rules can read: its name, type and limits. */
export interface FactDefinition {
  /** Dotted name. A trailing `.*` stands for any path below, e.g. `metadata.*`. */
  readonly name: string;
  readonly type: FactType;
  readonly summary: string;
  /** Where the fact can be read. A rule of another stage that reads it is a compile error. */
  readonly stages: readonly Stage[];
  readonly unit?: 'ratio' | 'usd' | 'tokens' | 'usd_or_tokens' | 'items';
  readonly range?: { readonly min?: number; readonly max?: number };
  /** For string and string_set facts with a closed vocabulary (detector codes, environments). */
  readonly values?: readonly string[];
  /** An optional fact that is absent is `null`, a definite value; any other absent fact is unknown. */
  readonly optional: boolean;
  /** The key in the policy's `detectors` of the detector that produces the fact, if a detector does. */
  readonly detector?: string;
  /** The ledger plugin that produces the fact, if any; set by the registry. */
  readonly ledger?: string;
  /** True if callers control the value: in production, such a fact must not weaken a rule. */
  readonly clientControlled: boolean;
  /** True if the value is one or more names of tools, which are compared in their normal form. */
  readonly isToolName?: true;
  /** True if the fact depends on earlier calls of the session: if a policy reads no such fact, no sessions are stored. */
  readonly ofSession?: true;
  /** Relations that always hold, for linting, mutation testing and counterexample search. */
  readonly invariants?: readonly string[];
}

/** A fact whose value could not be determined. Contains the reason, never content. */
export class Unknown {
  constructor(
    readonly reason: 'failed' | 'timeout' | 'not_run' | 'unavailable',
    /** The detector key (or `budget`) whose answer is missing. */
    readonly source: string,
  ) {}

  /**
   * A fact about data that could be read only in part: `found` is certain, and there may be more.
   * @param source the detector key or plugin that could not read everything
   */
  static atLeast(source: string, found: FactValue): Unknown {
    return new AtLeast(source, found);
  }
}

/**
 * A fact about data that could be read only in part: the found values are certain, and there may be more. Lists may be longer and numbers
 * greater, so only some conditions are certain; the others are unknown.
 */
export class AtLeast extends Unknown {
  /** @param found undefined if a path refers to something that was not found */
  constructor(
    source: string,
    readonly found: FactValue | undefined,
  ) {
    super('unavailable', source);
  }
}

/** The value of a fact: JSON, or unknown. */
export type FactValue =
  string | number | boolean | null | readonly FactValue[] | { readonly [key: string]: FactValue } | Unknown;

/** Root name to value, e.g. `{ pii: { types: [...], count: 2 }, model: { name: 'gpt-4o' } }`. */
export type FactSet = Readonly<Record<string, FactValue>>;
