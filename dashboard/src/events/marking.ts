/** The mark that a press of a button or key asks for, and the mark that is shown meanwhile. */
import type { Schemas } from '../api/client.ts';

type Mark = Schemas['Mark'];

export interface Marking {
  readonly mark: Mark['mark'];
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

/** A change by the person who uses the page. */
export interface OwnChange {
  /** The mark that was asked for, or the answer to it. */
  readonly mark: Mark | Marking | null;
  /** The mark of the loaded event when the change was made or answered. */
  readonly over: Mark | null;
  readonly isPending: boolean;
}

/**
 * The mark to show: a change at once, then the mark of the loaded event, as soon as it differs from the one that the change replaced. So
 * a mark that was stored elsewhere, or before the page was opened again, is shown as well. An event that is loaded from a replica of the
 * database may still have the replaced mark for a moment.
 */
export function shownMark(loaded: Mark | null, own: OwnChange | null): Mark | Marking | null {
  return own !== null && (own.isPending || own.over?.at === loaded?.at) ? own.mark : loaded;
}

/** The event after a mark of its call was stored, or removed (null). */
export function withMark<T extends { readonly marks?: readonly Mark[] }>(event: T, rule: string, mark: Mark | null): T {
  const others = (event.marks ?? []).filter((each) => each.rule !== rule);
  return { ...event, marks: mark === null ? others : [...others, mark] };
}

/**
 * The edited note after a mark was stored: null, so that the stored note is shown, if the mark was stored with this note. The service may
 * have masked the note. Any other text is not stored yet, so it is kept.
 */
export function noteAfter(typed: string | null, asked: Marking | null): string | null {
  return typed !== null && typed.trim() === (asked?.note ?? '') ? null : typed;
}
