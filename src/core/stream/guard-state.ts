/**
 * The state of a guarded stream.
 *
 * - `new`: no event was read and no rule was evaluated.
 * - `leading`: events have arrived, but none with a text that clients assemble was forwarded; events that are ready wait.
 * - `leaving`: texts are forwarded as far as they are decided.
 * - `complete`: the stream has ended and the rules are decided; the remaining events are forwarded.
 * - `refused`: a rule refuses the answer; nothing more is forwarded.
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

/** Returns the state after a transition; an event without a transition changes nothing. */
export function after(state: State, happening: StreamTransition): State {
  return TRANSITIONS[state][happening] ?? state;
}

/** The new input since the last evaluation of the rules. Findings in texts count only while they can change the rules' results. */
export type PendingEvaluation = 'nothing' | 'findings' | 'tool calls';
