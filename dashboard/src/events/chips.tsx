/** The filters of the list: each can be inverted, edited in place, and removed. */
import { useId, useState, type FormEvent, type ReactNode } from 'react';
import { useApps } from '../api/queries.ts';
import { Icon } from '../parts/icons.tsx';
import { visible } from '../parts/text.tsx';
import { useSearchParams, useSetSearch } from '../shell/view.ts';
import { FIXED, filtersOf, shownValue, turnedRound, wantedValue, type Filter } from './filters.ts';

export function Chips(): ReactNode {
  const search = useSearchParams();
  const [changing, change] = useState<string>();
  const { known } = filtersOf(search);
  return known.map((filter) =>
    filter.name === changing ? (
      <ChangedChip key={filter.name} filter={filter} done={() => change(undefined)} />
    ) : (
      <Chip key={filter.name} filter={filter} change={() => change(filter.name)} />
    ),
  );
}

function Chip({ filter, change }: { readonly filter: Filter; readonly change: () => void }): ReactNode {
  const { name, label, value } = filter;
  const setSearch = useSetSearch();
  const { text, isSteady } = useShownValue(filter);
  const opposite = turnedRound(name);
  return (
    <span className="filter">
      {opposite === undefined ? (
        <b>{visible(label)}</b>
      ) : (
        <button
          type="button"
          className="opposite"
          aria-label={`${visible(label)}: select ${name.startsWith('not.') ? 'these' : 'all others'} instead`}
          title={name.startsWith('not.') ? 'Select these instead' : 'Select all others instead'}
          onClick={() => setSearch({ [name]: undefined, [opposite]: value })}
        >
          {visible(label)}
        </button>
      )}
      <button
        type="button"
        className="opposite value"
        data-change={name}
        aria-label={`Change ${visible(label)}: ${visible(text)}`}
        title={visible(text)}
        onClick={change}
      >
        <bdi className={`cut${isSteady ? ' steady' : ''}`}>{visible(text)}</bdi>
      </button>
      <button
        type="button"
        aria-label={`Remove ${visible(label)}`}
        onClick={() => {
          // The chip disappears with the focus in it.
          document.querySelector<HTMLElement>('[data-add-filter]')?.focus();
          setSearch({ [name]: undefined });
        }}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

/**
 * The value of a filter for people. A chip that is shown before the names of apps are known keeps one width: a name is shorter than the id
 * in the address, and another width would move the list below.
 */
function useShownValue(filter: Filter): { readonly text: string; readonly isSteady: boolean } {
  const { data = [], isLoading } = useApps();
  const isNaming = isLoading && filter.name.replace(/^not\./, '') === 'app';
  const [isSteady] = useState(isNaming);
  return { text: isNaming ? '…' : shownValue(filter, data), isSteady };
}

/** A chip while its value is edited. An empty value removes the filter. */
function ChangedChip({ filter, done }: { readonly filter: Filter; readonly done: () => void }): ReactNode {
  const { name, label } = filter;
  const setSearch = useSetSearch();
  const apps = useApps().data ?? [];
  const [text, setText] = useState(shownValue(filter, apps));
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const close = (): void => {
    done();
    // Returns the focus to the chip, so that keyboard users keep their place.
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-change="${CSS.escape(name)}"]`)?.focus());
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = wantedValue(name, text, apps);
    setProblem(wanted.problem);
    if (wanted.problem !== undefined) return;
    setSearch({ [name]: wanted.value });
    close();
  };
  const plain = name.replace(/^not\./, '');
  const options = plain === 'app' ? apps.map((app) => app.name) : (FIXED[plain] ?? []);
  return (
    <form className="filter" onSubmit={submit}>
      <label htmlFor={`${id}value`}>
        <b>{visible(label)}</b>
      </label>
      <input
        id={`${id}value`}
        className="chip-input"
        autoFocus
        autoComplete="off"
        dir="auto"
        list={options.length > 0 ? `${id}values` : undefined}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}problem`}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setProblem(undefined);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
        }}
      />
      {options.length > 0 && <Suggestions id={`${id}values`} options={options} />}
      <button type="submit" aria-label={`Use this ${visible(label)}`}>
        <Icon name="check" />
      </button>
      {problem !== undefined && (
        <small id={`${id}problem`} className="problem" role="alert">
          {problem}
        </small>
      )}
    </form>
  );
}

interface SuggestionsProps {
  readonly id: string;
  readonly options: readonly string[];
}

/** The values that the browser suggests for the input that names this id as its `list`. */
function Suggestions({ id, options }: SuggestionsProps): ReactNode {
  return (
    <datalist id={id}>
      {options.map((option) => (
        <option key={option} value={option} />
      ))}
    </datalist>
  );
}
