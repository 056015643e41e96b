/** The stored answer about a call, for retries and for the later report of its end. */
import type { TextEdit } from '../core/index.js';
import type { RememberedAnswer } from '../events/index.js';

/** The part of the provider's route that is needed to read its answer. */
export interface ReplayRoute {
  readonly provider: string;
  readonly method: string;
  /** Empty if it may contain a text, which must not be stored. */
  readonly path: string;
}

export interface ReplayAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly route: ReplayRoute;
  /**
   * The changes to the body, without the replaced texts; none if only its content coding is removed. Absent if the client sends its own
   * bytes.
   */
  readonly changes?: readonly TextEdit[];
  /** The body of a refusal. */
  readonly body?: string;
}

/** The statuses of stored answers. */
export const GO_ON = 204;
export const GO_ON_CHANGED = 200;
export const REFUSED = 400;

export function remembered(answer: ReplayAnswer): RememberedAnswer {
  const status = answer.body !== undefined ? REFUSED : answer.changes === undefined ? GO_ON : GO_ON_CHANGED;
  return { status, body: JSON.stringify(answer) };
}

/** @throws SyntaxError for a body that `remembered` did not write */
export function recalled({ body }: RememberedAnswer): ReplayAnswer {
  return JSON.parse(body) as ReplayAnswer;
}
