/**
 * Where a guarded stream stands.
 *
 * - `new`: nothing was read and no rule was asked.
 * - `leading`: events came, but none with a text that clients put together has left; what is ready waits.
 * - `leaving`: texts leave as far as they are decided.
 * - `complete`: the stream is over and the rules have said their last word; the rest leaves.
 * - `refused`: a rule refuses the answer; nothing leaves any more.
 */
export type State = 'new' | 'leading' | 'leaving' | 'complete' | 'refused';

/** The events that change the state of a stream. */
export type StreamTransition = 'begins' | 'text leaves' | 'ends' | 'is refused';

/** All transitions; other events change nothing. No transition leads back, and none leaves `refused`. */
export const TRANSITIONS: Readonly<Record<State, Readonly<Partial<Record<StreamTransition, State>>>>> = {
  new: { begins: 'leading' },
  leading: { 'text leaves': 'leaving', ends: 'complete', 'is refused': 'refused' },
  leaving: { ends: 'complete', 'is refused': 'refused' },
  complete: { 'is refused': 'refused' },
  refused: {},
};

/** The state after something has happened. */
export function after(state: State, happening: StreamTransition): State {
  return TRANSITIONS[state][happening] ?? state;
}

/** What has come since the rules were last asked. Findings in texts count only while they can change what rules say. */
export type PendingEvaluation = 'nothing' | 'findings' | 'tool calls';
