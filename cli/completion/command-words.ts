/**
 * Completion in shells: the words of every command, and a script for bash, zsh and fish. The words come from the
 * command objects, so that no list is kept twice.
 */

/** One command with its flags, by its words: `keys create`. */
export interface CommandWords {
  readonly words: string;
  readonly summary: string;
  readonly flags: readonly string[];
}
