/** A position in the files of a policy: line and column from 1, and the marked length on that line. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** The place of one condition leaf. An overridden leaf has its place in the file that overrides it. */
export interface LeafPlace {
  readonly at: SourcePlace;
  /** The named conditions (`use:`) through which the leaf was included, outermost first. */
  readonly use: readonly string[];
}

/** The place of a rule, field by field. */
export interface RulePlace {
  /** The place of the rule's id. */
  readonly at: SourcePlace;
  /** The first and the last line of the rule's text. */
  readonly lines: { readonly first: number; readonly last: number };
  /** By dotted field, such as `then.action`, `on_unknown`, `then.redact.entities`; only those that are written. */
  readonly fields: Readonly<Record<string, SourcePlace>>;
  /** By name: the entities that are listed in `then.redact.entities` itself. */
  readonly entities: Readonly<Record<string, SourcePlace>>;
  readonly overrides: readonly { readonly at: SourcePlace; readonly because: string }[];
}

/**
 * Where each part of a compiled policy was written, through `extends` and `overrides`. Not part of the canonical form:
 * moving a rule to another line changes no decision.
 */
export interface PolicySources {
  readonly rules: Readonly<Record<string, RulePlace>>;
  /** By leaf name: `<rule id>#<n>`, and `exception:<id>#<n>`. */
  readonly leaves: Readonly<Record<string, LeafPlace>>;
  readonly exceptions: Readonly<Record<string, RulePlace>>;
  /** For each list, the places of its entries, by the text of the entry. */
  readonly lists: Readonly<Record<string, Readonly<Record<string, SourcePlace>>>>;
  /**
   * Settings of the whole policy that are written: `default`, `mode`, `client_monitor_mode`, …; and `budgets.<id>`,
   * `prices.<model>` and `detectors.<key>` with the settings below them, such as `budgets.team.limit.usd`.
   */
  readonly settings: Readonly<Record<string, SourcePlace>>;
}
