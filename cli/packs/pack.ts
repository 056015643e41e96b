/** One requirement of a standard, and its coverage by a pack. */
export interface PackClause {
  /** As the standard numbers it. */
  readonly clause: string;
  readonly what: string;
  readonly covered: 'yes' | 'partly' | 'no';
  /** Rules of the pack, or of the baseline below it. */
  readonly rules: readonly string[];
  /** What is done, and above all what is not. */
  readonly words: string;
}

/** What is said of a built-in rule pack, beside the pack itself: its page, and its tests. */
export interface Pack {
  /** As `extends` takes it. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** What the clauses are those of. */
  readonly source: { readonly title: string; readonly url: string };
  readonly clauses: readonly PackClause[];
  /** What is left to those who extend it. */
  readonly yours: readonly string[];
  /** A file of policy tests, which pass wherever the pack is extended and enforced. */
  readonly tests: string;
}

/** `pci` of `weir:pci@1`: how commands, files and pages call it. */
export function shortName(name: string): string {
  return name.slice(name.indexOf(':') + 1, name.lastIndexOf('@'));
}
