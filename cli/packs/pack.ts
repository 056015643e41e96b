/** One requirement of a standard, and its coverage by a pack. */
export interface PackClause {
  /** The number of the clause in the standard. */
  readonly clause: string;
  readonly what: string;
  readonly covered: 'yes' | 'partly' | 'no';
  /** Rules of the pack, or of the baseline that it extends. */
  readonly rules: readonly string[];
  /** The coverage, and especially its limits. */
  readonly words: string;
}

/** The page and the tests of a built-in rule pack; its rules are in src/core. */
export interface Pack {
  /** The name for `extends`. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** The standard of the clauses. */
  readonly source: { readonly title: string; readonly url: string };
  readonly clauses: readonly PackClause[];
  /** Remaining tasks of users who extend the pack. */
  readonly yours: readonly string[];
  /** A file of policy tests, which pass wherever the pack is extended and enforced. */
  readonly tests: string;
}

/** `pci` of `weir:pci@1`: the name in commands, files and pages. */
export function shortName(name: string): string {
  return name.slice(name.indexOf(':') + 1, name.lastIndexOf('@'));
}
