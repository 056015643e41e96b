/** Rows selected by a person, and the actions for all of them. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState, type ReactNode } from 'react';
import { ApiError, get, searchOf, send, type Schemas } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import { failureWords } from '../parts/block.tsx';
import { count, counted } from '../parts/format.ts';
import { CopyButton } from '../parts/small.tsx';
import { judgedIn, markRows, restoreMarks, type MarkChange, type MarkStore } from './mark-rows.ts';
import { keepMark, markPath, reloadMarked } from './stored-marks.ts';
import type { ListedEvent } from './use-events.ts';

/** Stores the selected rows by id, so that they stay selected when new rows arrive. */
export function usePicked(rows: readonly ListedEvent[]) {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const listed = useRef(rows);
  listed.current = rows;
  const last = useRef<string | undefined>(undefined);
  const pick = useCallback((index: number): void => {
    const id = listed.current[index]?.id;
    if (id === undefined) return;
    last.current = id;
    setPicked((before) =>
      before.has(id) ? new Set([...before].filter((each) => each !== id)) : new Set(before).add(id),
    );
  }, []);
  /** Selects the range from the row that was selected last. */
  const pickTo = useCallback((index: number): void => {
    const from = listed.current.findIndex(({ id }) => id === last.current);
    const [low, high] = from < 0 ? [index, index] : [Math.min(from, index), Math.max(from, index)];
    last.current = listed.current[index]?.id;
    setPicked((before) => new Set([...before, ...listed.current.slice(low, high + 1).map(({ id }) => id)]));
  }, []);
  const clear = useCallback((): void => setPicked(new Set()), []);
  return { picked, pick, pickTo, clear };
}

export type Selection = ReturnType<typeof usePicked>;

interface SelectionProps {
  readonly picked: readonly ListedEvent[];
  readonly clear: () => void;
}

/** The service's marks, which are also written into the loaded events. */
function useMarkStore(): MarkStore {
  const client = useQueryClient();
  return {
    load: async (event) => (await get<Schemas['MarkPage']>('/v1/marks', { event, limit: MOST_MARKS })).data,
    put: async ({ row, rule }, marking) => {
      const mark = await send<Schemas['Mark']>('PUT', markPath(row, rule), marking);
      keepMark(client, mark.call, rule, mark);
      return mark;
    },
    restore: async ({ row, rule, call, before }) => {
      const path = markPath(row, rule);
      const mark = before === null ? await removed(path) : await send<Schemas['Mark']>('PUT', path, before);
      keepMark(client, call, rule, mark);
    },
  };
}

/** The maximum number of marks that the service returns at once. */
const MOST_MARKS = 200;

/** A mark that another person removed in the meantime needs no removal. */
async function removed(path: string): Promise<null> {
  try {
    await send<undefined>('DELETE', path);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
  return null;
}

/** Marks the rows, and can restore the marks from before the last press. */
function useMarking(picked: readonly ListedEvent[]) {
  const client = useQueryClient();
  const store = useMarkStore();
  const [said, say] = useState('');
  const [isSending, setSending] = useState(false);
  const [changes, setChanges] = useState<readonly MarkChange[]>([]);
  const sending = async (act: () => Promise<void>): Promise<void> => {
    setSending(true);
    await act();
    setSending(false);
    reloadMarked(client);
  };
  const mark = (as: 'right' | 'wrong'): Promise<void> =>
    sending(async () => {
      const { changes: made, unchanged, error } = await markRows(picked, as, store);
      // A press that changes nothing leaves the earlier change to be undone.
      if (made.length > 0) setChanges(made);
      const already = unchanged === 0 ? '' : `, ${count(unchanged)} already marked`;
      say(
        error === null
          ? `${count(made.length)} marked ${as}${already}`
          : `${count(made.length)} of ${count(judgedIn(picked).length)} marked ${as}${already}: ${failureWords(error).words}`,
      );
    });
  const undo = (): Promise<void> =>
    sending(async () => {
      const { changes: restored, error } = await restoreMarks(changes, store);
      setChanges(changes.filter((each) => !restored.includes(each)));
      say(
        error === null
          ? `${counted(restored.length, 'mark')} undone`
          : `${count(restored.length)} of ${counted(changes.length, 'mark')} undone: ${failureWords(error).words}`,
      );
    });
  return { said, isSending, mark, undo: changes.length === 0 ? undefined : undo };
}

/**
 * The bar stays when the marked rows leave the list, as in a list of calls without a mark, so that their marks can still be undone. It is
 * rendered for as long as rows are selected.
 */
export function SelectionBar({ picked, clear }: SelectionProps): ReactNode {
  const canMark = useFeature('marks');
  const { said, isSending, mark, undo } = useMarking(picked);
  const ids = picked.map(({ id }) => id);
  if (picked.length === 0 && said === '') return null;
  return (
    <div className="picked line" role="toolbar" aria-label="Selected rows">
      <span className="tab-nums">{count(picked.length)} selected</span>
      {canMark &&
        judgedIn(picked).length > 0 &&
        (['right', 'wrong'] as const).map((as) => (
          <button key={as} type="button" className="button" disabled={isSending} onClick={() => void mark(as)}>
            Mark {as}
          </button>
        ))}
      {ids.length > 0 && <ExportPicked ids={ids} />}
      {ids.length > 0 && (
        <CopyButton key={ids.join()} text={ids.join('\n')}>
          Copy ids
        </CopyButton>
      )}
      <button type="button" className="button quiet" onClick={clear}>
        Clear selection
      </button>
      <span role="status" className="meta">
        {said}
      </span>
      {undo !== undefined && (
        <button type="button" className="button quiet" disabled={isSending} onClick={() => void undo()}>
          Undo
        </button>
      )}
    </div>
  );
}

/** The maximum number of ids that the service accepts in one export. */
const MOST_EXPORTED = 200;

/** A download by the browser: each selected call with all of its events. */
function ExportPicked({ ids }: { readonly ids: readonly string[] }): ReactNode {
  if (ids.length > MOST_EXPORTED)
    return (
      <span className="meta">
        At most {MOST_EXPORTED} selected rows can be exported; the page Exports has no such limit.
      </span>
    );
  return (['csv', 'jsonl'] as const).map((format) => (
    <a key={format} className="button" download href={`/v1/events/export${searchOf({ format, call: ids.join(',') })}`}>
      Export {format === 'csv' ? 'CSV' : 'JSON Lines'}
    </a>
  ));
}
