/** "Was this right?": one mark for each rule that fired, with undo and a note; it feeds the rule's statistics. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { send, type Schemas } from '../api/client.ts';
import type { CallEvent } from '../api/types.ts';
import { failureWords } from '../parts/block.tsx';
import { count, counted } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { strongestFirst } from '../parts/outcome.tsx';
import { Time } from '../parts/small.tsx';
import { UserText, visible } from '../parts/text.tsx';
import { filterOfRule } from '../policies/rule-words.ts';
import { countedMonth, useRuleStats } from '../policies/use-rules.ts';
import { usePageKeys } from '../shell/keys.ts';
import { markingOf, noteAfter, pressed, shownMark, type Marking, type OwnChange } from './marking.ts';
import { keepMark, markPath, reloadMarked } from './stored-marks.ts';

const ExceptionDraft = lazy(() => import('./exception-draft.tsx'));

type Mark = Schemas['Mark'];

interface MarkBarProps {
  /** The first event of the call: a call has one mark for each rule, whichever of its events the rule fired in. */
  readonly event: CallEvent;
  /** Of all events of the call. */
  readonly violations: CallEvent['violations'];
  readonly canMark: boolean;
  readonly test: (() => void) | undefined;
}

export function MarkBar({ event, violations, canMark, test }: MarkBarProps): ReactNode {
  const rules = [...new Set(strongestFirst(violations).map((each) => each.rule))];
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
        <MarkOf key={`${event.id} ${rule}`} event={event} rule={rule} test={test} />
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

/**
 * The mark as it is shown at once, and as it is stored. The requests of quick presses are sent one after the other, so that the last one
 * counts. An answer may arrive after the page was left: so it is kept in the loaded event, which the page shows when it is opened again.
 *
 * @param stored called with each mark that the service stored as it was asked for
 */
function useMark(event: CallEvent, rule: string, stored: (asked: Marking | null) => void) {
  const client = useQueryClient();
  const loaded = event.marks?.find((each) => each.rule === rule) ?? null;
  const [own, setOwn] = useState<OwnChange | null>(null);
  const [before, setBefore] = useState<{ readonly mark: Marking | null } | null>(null);
  const latest = useRef(0);
  const seen = useRef(loaded);
  seen.current = loaded;
  const mark = shownMark(loaded, own);
  const path = markPath(event, rule);
  const sent = useMutation({
    scope: { id: path },
    mutationFn: (wanted: Marking | null) =>
      wanted === null ? send<undefined>('DELETE', path) : send<Mark>('PUT', path, wanted),
    onMutate: (wanted) => {
      setOwn({ mark: wanted, over: seen.current, isPending: true });
      return ++latest.current;
    },
    onSuccess: (answer, wanted, number) => {
      const kept = answer ?? null;
      if (number === latest.current) setOwn({ mark: kept, over: seen.current, isPending: false });
      stored(wanted);
      keepMark(client, event.id, rule, kept);
      reloadMarked(client);
    },
    onError: (_error, _wanted, number) => {
      if (number !== latest.current) return;
      setOwn(null);
      setBefore(null);
    },
  });
  const change = (wanted: Marking | null): void => {
    setBefore({ mark: markingOf(mark) });
    sent.mutate(wanted);
  };
  /** Restores the mark and the note from before the last change. */
  const undo = (): void => {
    setBefore(null);
    if (before !== null) sent.mutate(before.mark);
  };
  return { mark, change, undo: before === null ? undefined : undo, isPending: sent.isPending, error: sent.error };
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
  // The edited note: it outlives its field, which disappears if the mark cannot be stored. Null: the field has the stored note.
  const [typed, setTyped] = useState<string | null>(null);
  const { mark, change, undo, isPending, error } = useMark(event, rule, (asked) =>
    setTyped((before) => noteAfter(before, asked)),
  );
  const marking = markingOf(mark);
  const note = marking?.note ?? '';
  const press = (kind: 'right' | 'wrong'): void => {
    const wanted = pressed(marking, kind);
    if (wanted !== undefined) change(wanted);
  };
  usePageKeys({ y: () => press('right'), n: () => press('wrong') });
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
            onClick={() => press(verdict)}
          >
            <Icon name={icon} />
            {label}
          </button>
        ))}
        {test !== undefined && <TestButton test={test} />}
      </div>
      <div role="status" className="meta">
        {!isPending && <Marked mark={mark} undo={undo} remove={() => change(null)} />}
      </div>
      {mark !== null && (
        <Note
          text={typed ?? note}
          note={note}
          change={setTyped}
          save={(text) => change(markingOf({ mark: mark.mark, note: text }))}
        />
      )}
      {mark?.mark === 'wrong' && <AfterWrong event={event} rule={rule} note={note} />}
      {error !== null && (
        <p className="problem" role="alert">
          The mark was not stored. {failureWords(error).words}
        </p>
      )}
    </>
  );
}

interface MarkedProps {
  readonly mark: Mark | Marking | null;
  /** Undefined: nothing was changed since the page was opened. */
  readonly undo: (() => void) | undefined;
  readonly remove: () => void;
}

/** The stored mark and its author. A change can be undone; a mark from before, possibly of a colleague, can only be removed on purpose. */
function Marked({ mark, undo, remove }: MarkedProps): ReactNode {
  if (mark === null && undo === undefined) return null;
  return (
    <>
      {mark === null ? 'The mark was removed.' : `Marked ${mark.mark}`}
      {mark !== null && 'by' in mark && (
        <>
          {' '}
          by <UserText text={mark.by.name ?? mark.by.kind} />, <Time at={mark.at} />
        </>
      )}
      {mark !== null && '.'}{' '}
      <button type="button" className="button quiet" onClick={undo ?? remove}>
        {undo === undefined ? 'Remove the mark' : 'Undo'}
      </button>
    </>
  );
}

interface AfterWrongProps {
  readonly event: CallEvent;
  readonly rule: string;
  readonly note: string;
}

/** The number of times that the rule was marked wrong, and the possible next steps. */
function AfterWrong({ event, rule, note }: AfterWrongProps): ReactNode {
  const { environment } = event;
  const [isDrafting, setDrafting] = useState(false);
  const stats = useRuleStats(environment).data;
  // A call from before the rule was renamed has a former id.
  const found = stats?.find((each) => each.rule === rule) ?? stats?.find(({ formerly }) => formerly.includes(rule));
  const calls = found === undefined ? rule : filterOfRule(found.rule, found.formerly);
  const wrong = found?.marks?.wrong ?? 0;
  return (
    <div className="meta">
      {wrong > 0 && found !== undefined && (
        <>
          {count(wrong)} of {counted(found.hits, 'hit')} of this rule in 30 days {wrong === 1 ? 'is' : 'are'} marked
          wrong.{' '}
        </>
      )}
      <Link
        to="/events"
        search={{ rule: calls, mark: 'wrong', env: environment, ...countedMonth() } as never}
        className="link"
      >
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

interface NoteProps {
  readonly text: string;
  /** The stored note. */
  readonly note: string;
  readonly change: (text: string) => void;
  readonly save: (note: string) => void;
}

function Note({ text, note, change, save }: NoteProps): ReactNode {
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
        onChange={(event) => change(event.target.value)}
      />
      <button type="submit" className="button" disabled={text.trim() === note}>
        Save
      </button>
    </form>
  );
}
