/** Marks on the decisions of several rows: for each call the same as one press of "Right" or "Wrong", and the way back. */
import type { Schemas } from '../api/client.ts';
import { markingOf, pressed, type Marking } from './marking.ts';
import type { ListedEvent } from './use-events.ts';

type Mark = Schemas['Mark'];

/** A rule that fired in a row. */
export interface Judged {
  readonly row: ListedEvent;
  readonly rule: string;
}

/** A mark that was changed. */
export interface MarkChange extends Judged {
  /** The id of the call, to which the mark belongs. */
  readonly call: string;
  /** The mark before the change. */
  readonly before: Marking | null;
}

/** The marks that the service stores. */
export interface MarkStore {
  /** The marks of the call that an event belongs to. */
  readonly load: (eventId: string) => Promise<readonly Mark[]>;
  readonly put: (judged: Judged, marking: Marking) => Promise<Mark>;
  readonly restore: (change: MarkChange) => Promise<void>;
}

/** The changed marks, up to the first failure. */
interface Done {
  readonly changes: readonly MarkChange[];
  /** Null: everything was done. */
  readonly error: Error | null;
}

export interface MarkedRows extends Done {
  /** The number of decisions that had this mark already. */
  readonly unchanged: number;
}

/** Each rule that fired, once per row. */
export function judgedIn(rows: readonly ListedEvent[]): readonly Judged[] {
  return rows.flatMap((row) => [...new Set(row.violations.map(({ rule }) => rule))].map((rule) => ({ row, rule })));
}

/** Marks the decisions one after the other. A mark that is there already stays as it is; a changed one keeps its note. */
export async function markRows(
  rows: readonly ListedEvent[],
  as: 'right' | 'wrong',
  store: Pick<MarkStore, 'load' | 'put'>,
): Promise<MarkedRows> {
  const changes = new Map<string, MarkChange>();
  let unchanged = 0;
  const error = await failureOf(judgedIn(rows), async (judged) => {
    const { row, rule } = judged;
    const marks = hasMarksOfCall(row) ? row.marks : await store.load(aboutEvent(row));
    const stored = marks.find((each) => each.rule === rule) ?? null;
    // Another row of the same call was marked before.
    if (changes.has(keyOf(stored?.call ?? row.id, rule))) return;
    const before = markingOf(stored);
    const wanted = pressed(before, as);
    if (wanted === undefined) {
      unchanged++;
      return;
    }
    const { call } = await store.put(judged, wanted);
    changes.set(keyOf(call, rule), { ...judged, call, before });
  });
  return { changes: [...changes.values()], unchanged, error };
}

/** Restores the marks from before the changes, with their notes. The result contains the changes that were taken back. */
export async function restoreMarks(
  changes: readonly MarkChange[],
  { restore }: Pick<MarkStore, 'restore'>,
): Promise<Done> {
  const restored: MarkChange[] = [];
  const error = await failureOf(changes, async (change) => {
    await restore(change);
    restored.push(change);
  });
  return { changes: restored, error };
}

async function failureOf<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<Error | null> {
  try {
    for (const item of items) await act(item);
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error('unknown');
  }
}

const keyOf = (call: string, rule: string): string => `${call} ${rule}`;

const BEGIN_CALLS = new Set(['ai.request', 'agent.tool_call']);

/**
 * Whether a row has all marks of its call. A row that arrived live has none, and one of a later event of a call only those of that event:
 * a mark that is not in the row would be replaced without its note.
 */
function hasMarksOfCall(row: ListedEvent): row is ListedEvent & { readonly marks: readonly Mark[] } {
  return row.marks !== undefined && BEGIN_CALLS.has(row.type);
}

const REPORTS = new Set(['policy.violation', 'budget.exceeded']);

/** An event that only reports about another one belongs to no call itself. */
const aboutEvent = ({ id, type, parent_id: parent }: ListedEvent): string => (REPORTS.has(type) ? (parent ?? id) : id);
