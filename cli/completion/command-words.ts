/**
 * Shell completion: the words of every command, and a script for bash, zsh and fish. The words are derived from the command objects, so
 * there is no second list to maintain.
 */

/** The words of one command, such as `keys create`, with its flags. */
export interface CommandWords {
  readonly words: string;
  readonly summary: string;
  readonly flags: readonly string[];
}
