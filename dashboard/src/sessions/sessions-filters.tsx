/** The filters of the list of sessions: those by which the service selects sessions, in the address of the page. */
import type { ReactNode } from 'react';
import { useApps } from '../api/queries.ts';
import { OUTCOMES, outcomeWord } from '../parts/outcome.tsx';
import { visible } from '../parts/text.tsx';
import { RETAINED, useSetSearch, type Search } from '../shell/view.ts';

/** The filters, as parameters of the address and of the API. */
const FILTERS = ['app', 'model', 'outcome'] as const;
type Filters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;
const SHARED: ReadonlySet<string> = new Set(RETAINED);

/** The filters that the address contains, and its parameters that are none. */
export function filtersOf(search: Search): { readonly known: Filters; readonly unknown: readonly string[] } {
  const given = Object.entries(search).filter(([name, value]) => value !== undefined && !SHARED.has(name));
  const isKnown = ([name]: readonly [string, unknown]): boolean => FILTERS.some((each) => each === name);
  return {
    known: Object.fromEntries(given.filter(isKnown)),
    unknown: given.filter((each) => !isKnown(each)).map(([name]) => name),
  };
}

/** A change of the address that removes all filters. */
export const NO_FILTERS: Search = Object.fromEntries(FILTERS.map((name) => [name, undefined]));

export function SessionFilters({ app, model, outcome }: Filters): ReactNode {
  const setSearch = useSetSearch();
  const apps = useApps().data ?? [];
  return (
    <div className="line">
      <Choice
        label="App"
        all="All apps"
        value={app}
        options={apps.map(({ id, name }) => [id, visible(name)] as const)}
        choose={(value) => setSearch({ app: value })}
      />
      <Choice
        label="Outcome of a call in the session"
        all="Any outcome"
        value={outcome}
        options={OUTCOMES.map((each) => [each, outcomeWord(each)] as const)}
        choose={(value) => setSearch({ outcome: value })}
      />
      {model !== undefined && (
        <button type="button" className="button" onClick={() => setSearch({ model: undefined })}>
          Model: {visible(model)}
          <span aria-hidden="true"> ×</span>
          <span className="sr">, remove this filter</span>
        </button>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** The option that selects everything. */
  readonly all: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly choose: (value: string | undefined) => void;
}

function Choice({ label, all, value, options, choose }: ChoiceProps): ReactNode {
  // A link may name several outcomes, or an app by its name.
  const isListed = value === undefined || options.some(([each]) => each === value);
  return (
    <select
      className="input small"
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => choose(target.value === '' ? undefined : target.value)}
    >
      <option value="">{all}</option>
      {!isListed && <option value={value}>{visible(value)}</option>}
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}
