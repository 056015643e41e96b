import type { Dialect } from '../src/core/index.js';

/** A call with any number of entries of one kind. */
export interface Shape {
  readonly name: string;
  readonly dialect: Dialect;
  /** `stream`: an event stream. `list`: the JSON list of answers that Gemini streams if a client did not ask for events. */
  readonly direction: 'request' | 'answer' | 'stream' | 'list';
  /** Approximate number of JSON nodes per entry. */
  readonly nodes: number;
  /** Whether only reading is measured: the time of judging does not depend on the position of a text in the call. */
  readonly isOnlyRead?: boolean;
  /** The text of the call or stream, or a value to be serialised as JSON. */
  body(entries: number): unknown;
}
