/** Whether somebody uses the page. Requests that nobody caused must not extend the session. */

const A_WHILE_MS = 60_000;
const ACTIONS = ['pointerdown', 'pointermove', 'wheel', 'keydown'];

/** @returns a function that reports whether a person used the page, or opened it, within the last minute */
export function presenceOn(page: Pick<EventTarget, 'addEventListener'>, nowMs: () => number = Date.now): () => boolean {
  let lastMs = nowMs();
  // Events that scripts dispatch are not trusted.
  const note = ({ isTrusted }: Event): void => {
    if (isTrusted) lastMs = nowMs();
  };
  for (const action of ACTIONS) page.addEventListener(action, note, { capture: true, passive: true });
  return () => nowMs() - lastMs < A_WHILE_MS;
}
