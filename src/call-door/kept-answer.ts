/** The stored answer about a call, for retries and for the later report of its end. */
import type { TextEdit } from '../core/index.js';
import type { RememberedAnswer } from '../events/index.js';

/** Of the provider's route, what its answer is read by. */
export interface KeptRoute {
  readonly provider: string;
  readonly method: string;
  /** Empty where it may hold what must not be stored. */
  readonly path: string;
}

export interface KeptAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly route: KeptRoute;
  /** What is changed in the body; it holds nothing of what is replaced. Absent where all of it goes on as it is. */
  readonly changes?: readonly TextEdit[];
  /** Of a refusal. */
  readonly body?: string;
}

/** The statuses of answers that are given again. */
export const GO_ON = 204;
export const GO_ON_CHANGED = 200;
export const REFUSED = 400;

export function remembered(answer: KeptAnswer): RememberedAnswer {
  const status = answer.body !== undefined ? REFUSED : answer.changes === undefined ? GO_ON : GO_ON_CHANGED;
  return { status, body: JSON.stringify(answer) };
}

/** @throws SyntaxError for what this door did not keep */
export function recalled({ body }: RememberedAnswer): KeptAnswer {
  return JSON.parse(body) as KeptAnswer;
}
