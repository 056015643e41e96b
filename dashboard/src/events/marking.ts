/** The mark that a press of a button or key asks for. */
import type { Schemas } from '../api/client.ts';

export interface Marking {
  readonly mark: Schemas['Mark']['mark'];
  readonly note?: string;
}

/** A stored mark in the form of a request. An empty note is none. */
export function markingOf(
  stored: { readonly mark: Marking['mark']; readonly note?: string | null } | null,
): Marking | null {
  if (stored === null) return null;
  const { mark, note } = stored;
  return { mark, ...(typeof note === 'string' && note !== '' ? { note } : {}) };
}

/**
 * The mark after a press of "right" or "wrong": with the note of the mark before, which is about the call as well. Undefined: the call has
 * this mark already, so that a second press changes nothing; the mark may be a colleague's.
 */
export function pressed(before: Marking | null, kind: 'right' | 'wrong'): Marking | undefined {
  if (before?.mark === kind) return undefined;
  return { ...before, mark: kind };
}
