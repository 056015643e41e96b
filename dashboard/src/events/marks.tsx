/** "Was this right?": one mark for each rule that fired, with undo and a note; it feeds the rule's statistics. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState, type FormEvent, type ReactNode } from 'react';
import { send, type Schemas } from '../api/client.ts';
import type { CallEvent } from '../api/types.ts';
import { failureWords } from '../parts/block.tsx';
import { count } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { strongestFirst } from '../parts/outcome.tsx';
import { Time } from '../parts/small.tsx';
import { UserText, visible } from '../parts/text.tsx';
import { useRuleStats } from '../policies/use-rules.ts';
import { usePageKeys } from '../shell/keys.ts';

const ExceptionDraft = lazy(() => import('./exception-draft.tsx'));

type Mark = Schemas['Mark'];
type Kind = Mark['mark'];

interface MarkBarProps {
  readonly event: CallEvent;
  readonly canMark: boolean;
  readonly test: (() => void) | undefined;
}

export function MarkBar({ event, canMark, test }: MarkBarProps): ReactNode {
  const rules = [...new Set(strongestFirst(event.violations).map((each) => each.rule))];
  const [rule = rules[0], choose] = useState<string>();
  const isMarkable = canMark && rule !== undefined;
  return (
    <section className="marks stack">
      {isMarkable && <h2>Was this right?</h2>}
      {isMarkable && rules.length > 1 && (
        <select
          className="input mono"
          aria-label="The rule in question"
          value={rule}
          onChange={(change) => choose(change.target.value)}
        >
          {rules.map((each) => (
            <option key={each} value={each}>
              {visible(each)}
            </option>
          ))}
        </select>
      )}
      {isMarkable ? (
        <MarkOf key={rule} event={event} rule={rule} test={test} />
      ) : (
        test !== undefined && (
          <div className="line mark-bar">
            <TestButton test={test} />
          </div>
        )
      )}
    </section>
  );
}

const TestButton = ({ test }: { readonly test: () => void }): ReactNode => (
  <button type="button" className="button quiet" onClick={test}>
    Make a test
  </button>
);

function useMark(event: CallEvent, rule: string) {
  const client = useQueryClient();
  const [mark, setMark] = useState<Mark | { readonly mark: Kind } | null>(
    event.marks?.find((each) => each.rule === rule) ?? null,
  );
  const path = `/v1/events/${event.id}/marks/${encodeURIComponent(rule)}?app=${encodeURIComponent(event.app.id)}`;
  const change = useMutation({
    mutationFn: (wanted: { readonly mark: Kind; readonly note?: string } | null) =>
      wanted === null ? send<undefined>('DELETE', path) : send<Mark>('PUT', path, wanted),
    onMutate: (wanted) => {
      const before = mark;
      setMark(wanted === null ? null : { ...before, ...wanted });
      return before;
    },
    onSuccess: (stored) => {
      setMark(stored ?? null);
      for (const key of ['rule-stats', 'event', 'events']) void client.invalidateQueries({ queryKey: [key] });
    },
    onError: (_error, _wanted, before) => setMark(before ?? null),
  });
  return { mark, change };
}

const VERDICTS = [
  { verdict: 'right', key: 'y', icon: 'check', label: 'Right' },
  { verdict: 'wrong', key: 'n', icon: 'close', label: 'Wrong' },
] as const;

interface MarkOfProps {
  readonly event: CallEvent;
  readonly rule: string;
  readonly test: (() => void) | undefined;
}

function MarkOf({ event, rule, test }: MarkOfProps): ReactNode {
  const { mark, change } = useMark(event, rule);
  const toggle = (kind: 'right' | 'wrong'): void => change.mutate(mark?.mark === kind ? null : { mark: kind });
  usePageKeys({ y: () => toggle('right'), n: () => toggle('wrong') });
  return (
    <>
      <div className="line mark-bar">
        {VERDICTS.map(({ verdict, key, icon, label }) => (
          <button
            key={verdict}
            type="button"
            className="button"
            aria-pressed={mark?.mark === verdict}
            aria-keyshortcuts={key}
            onClick={() => toggle(verdict)}
          >
            <Icon name={icon} />
            {label}
          </button>
        ))}
        {test !== undefined && <TestButton test={test} />}
      </div>
      <div role="status" className="meta">
        {mark !== null && !change.isPending && (
          <>
            Marked {mark.mark}
            {'by' in mark && (
              <>
                {' '}
                by <UserText text={mark.by.name ?? mark.by.kind} />, <Time at={mark.at} />
              </>
            )}
            .{' '}
            <button type="button" className="button quiet" onClick={() => change.mutate(null)}>
              Undo
            </button>
          </>
        )}
      </div>
      {mark !== null && (
        <Note
          key={'note' in mark ? mark.note : ''}
          note={('note' in mark ? mark.note : null) ?? ''}
          save={(note) => change.mutate({ mark: mark.mark, ...(note === '' ? {} : { note }) })}
        />
      )}
      {mark?.mark === 'wrong' && (
        <AfterWrong event={event} rule={rule} note={'note' in mark ? (mark.note ?? '') : ''} />
      )}
      {change.error !== null && (
        <p className="problem" role="alert">
          The mark was not stored. {failureWords(change.error).words}
        </p>
      )}
    </>
  );
}

interface AfterWrongProps {
  readonly event: CallEvent;
  readonly rule: string;
  readonly note: string;
}

/** How often the rule was wrong, and what can be done about it. */
function AfterWrong({ event, rule, note }: AfterWrongProps): ReactNode {
  const { environment } = event;
  const [isDrafting, setDrafting] = useState(false);
  const found = useRuleStats(environment).data?.find((each) => each.rule === rule);
  const wrong = found?.marks?.wrong ?? 0;
  return (
    <div className="meta">
      {wrong > 0 && found !== undefined && (
        <>
          {count(wrong)} of {count(found.hits)} hits of this rule in 30 days are marked wrong.{' '}
        </>
      )}
      <Link to="/events" search={{ rule, mark: 'wrong', env: environment, range: '30d' } as never} className="link">
        See them
      </Link>{' '}
      ·{' '}
      <button type="button" className="plain link" onClick={() => setDrafting(true)}>
        Draft an exception
      </button>{' '}
      ·{' '}
      <Link to="/policies/playground" search={{ env: environment } as never} className="link">
        Try a change
      </Link>
      {isDrafting && (
        <Suspense fallback={null}>
          <ExceptionDraft event={event} rule={rule} note={note} close={() => setDrafting(false)} />
        </Suspense>
      )}
    </div>
  );
}

function Note({ note, save }: { readonly note: string; readonly save: (note: string) => void }): ReactNode {
  const [text, setText] = useState(note);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save(text.trim());
  };
  return (
    <form className="line nowrap" onSubmit={submit}>
      <input
        className="input"
        aria-label="Reason (optional)"
        // `placeholder` is the visible hint in the empty field; the label is for screen readers.
        placeholder="Reason (optional)"
        maxLength={500}
        dir="auto"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className="button" disabled={text.trim() === note}>
        Save
      </button>
    </form>
  );
}
