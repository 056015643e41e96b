/** "Was this right?": one mark for each rule that fired, with undo; it feeds the rule's statistics. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ApiError, send } from '../api/client.ts';
import type { CallEvent } from '../api/types.ts';
import { Icon } from '../parts/icons.tsx';
import { usePageKeys } from '../shell/keys.ts';

type Kind = 'right' | 'wrong' | 'missed';
interface Mark {
  readonly rule: string;
  readonly mark: Kind;
  readonly by?: { readonly name?: string | null } | null;
}

interface MarkBarProps {
  readonly event: CallEvent & { readonly marks?: readonly Mark[] | null };
  readonly canMark: boolean;
  readonly test: (() => void) | undefined;
}

export function MarkBar({ event, canMark, test }: MarkBarProps): ReactNode {
  const [rule] = event.violations.map((each) => each.rule);
  const [mark, setMark] = useState<Kind | null>(event.marks?.find((each) => each.rule === rule)?.mark ?? null);
  const [problem, setProblem] = useState<string>();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (kind: Kind | null) => {
      const path = `/v1/events/${event.id}/marks/${encodeURIComponent(rule ?? '')}`;
      return kind === null ? send('DELETE', path) : send('PUT', path, { mark: kind });
    },
    onSuccess: () => {
      setProblem(undefined);
      void client.invalidateQueries({ queryKey: ['rule-stats'] });
    },
    onError: (error, kind) => {
      setMark(kind === null ? mark : null);
      setProblem(error instanceof ApiError ? error.message : 'The mark could not be stored.');
    },
  });
  const set = (kind: Kind | null): void => {
    if (!canMark || rule === undefined) return;
    setMark(kind);
    change.mutate(kind);
  };
  usePageKeys({ y: () => set('right'), n: () => set('wrong') });
  return (
    <section className="marks">
      {canMark && rule !== undefined && <h2>Was this right?</h2>}
      <div className="line">
        {canMark && rule !== undefined && (
          <>
            <button
              type="button"
              className="button"
              aria-pressed={mark === 'right'}
              onClick={() => set(mark === 'right' ? null : 'right')}
            >
              <Icon name="check" />
              Right
            </button>
            <button
              type="button"
              className="button"
              aria-pressed={mark === 'wrong'}
              onClick={() => set(mark === 'wrong' ? null : 'wrong')}
            >
              <Icon name="close" />
              Wrong
            </button>
          </>
        )}
        {test !== undefined && (
          <button type="button" className="button quiet" onClick={test}>
            Make a test
          </button>
        )}
      </div>
      <p className="meta" role="status">
        {mark !== null && !change.isPending && problem === undefined && (
          <>
            Marked {mark}: <code className="mono">{rule}</code>.{' '}
            <button type="button" className="button quiet" onClick={() => set(null)}>
              Undo
            </button>
          </>
        )}
      </p>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
