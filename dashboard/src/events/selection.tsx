/** Rows selected by a person, and the actions for all of them. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState, type ReactNode } from 'react';
import { searchOf, send, type Schemas } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import { failureWords } from '../parts/block.tsx';
import { count } from '../parts/format.ts';
import { CopyButton } from '../parts/small.tsx';
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

interface SelectionProps {
  readonly picked: readonly ListedEvent[];
  readonly clear: () => void;
}

export function SelectionBar({ picked, clear }: SelectionProps): ReactNode {
  const client = useQueryClient();
  const canMark = useFeature('marks');
  const [said, say] = useState('');
  const [isSending, setSending] = useState(false);
  const judged = picked.flatMap((row) =>
    [...new Set(row.violations.map(({ rule }) => rule))].map((rule) => ({ row, rule })),
  );
  const mark = async (as: 'right' | 'wrong'): Promise<void> => {
    setSending(true);
    let done = 0;
    try {
      for (const { row, rule } of judged) {
        const mark = await send<Schemas['Mark']>('PUT', markPath(row, rule), { mark: as });
        keepMark(client, row.id, rule, mark);
        done++;
      }
      say(`${count(done)} marked ${as}`);
    } catch (error) {
      say(
        `${count(done)} of ${count(judged.length)} marked ${as}: ${failureWords(error instanceof Error ? error : new Error('unknown')).words}`,
      );
    } finally {
      setSending(false);
      reloadMarked(client);
    }
  };
  if (picked.length === 0) return null;
  return (
    <div className="picked line" role="toolbar" aria-label="Selected rows">
      <span className="tab-nums">{count(picked.length)} selected</span>
      {canMark && judged.length > 0 && (
        <>
          <button type="button" className="button" disabled={isSending} onClick={() => void mark('right')}>
            Mark right
          </button>
          <button type="button" className="button" disabled={isSending} onClick={() => void mark('wrong')}>
            Mark wrong
          </button>
        </>
      )}
      <ExportPicked ids={picked.map(({ id }) => id)} />
      <CopyButton key={picked.map(({ id }) => id).join()} text={picked.map(({ id }) => id).join('\n')}>
        Copy ids
      </CopyButton>
      <button type="button" className="button quiet" onClick={clear}>
        Clear selection
      </button>
      <span role="status" className="meta">
        {said}
      </span>
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
