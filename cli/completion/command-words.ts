/** One command with its flags, by its words: `keys create`. */
export interface CommandWords {
  readonly words: string;
  readonly summary: string;
  readonly flags: readonly string[];
}
