/** Adds a filter: its name, then its value, with counts of values if the service provides them. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type FormEvent, type ReactNode } from 'react';
import { get } from '../api/client.ts';
import { useApps, useFeature } from '../api/queries.ts';
import { count } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { UserText } from '../parts/text.tsx';
import { useSearchParams, useSetSearch, useView } from '../shell/view.ts';
import { FILTERS, FIXED, filtersOf, queryOf, wantedValue } from './filters.ts';

const Dialog = lazy(() => import('../parts/dialog.tsx'));

interface Facet {
  readonly value: string;
  readonly label?: string | null;
  readonly count: number;
}
interface Facets {
  readonly sampled: boolean;
  readonly data: Readonly<Record<string, readonly Facet[]>>;
}
const COUNTED = 'app,model,provider,key,rule,outcome';
/** Filters that older versions of the service do not support. */
const NEWER = new Set(['outcome', 'key', 'provider', 'min_cost_usd', 'min_weir_ms']);

export function FilterMenu(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button" data-add-filter="" onClick={() => setOpen(true)}>
        <Icon name="plus" />
        Filter
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <FilterDialog close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function FilterDialog({ close }: { readonly close: () => void }): ReactNode {
  const [name, setName] = useState('app');
  const [value, setValue] = useState('');
  const [metadataKey, setMetadataKey] = useState('');
  const [problem, setProblem] = useState<string>();
  const setSearch = useSetSearch();
  const apps = useApps().data ?? [];
  const isNewer = useFeature('events.outcome');
  const hasMarks = useFeature('events.mark_filter');
  const names = Object.entries(FILTERS).filter(
    ([each]) => (isNewer || !NEWER.has(each)) && (hasMarks || each !== 'mark'),
  );
  const choose = (chosen: string): void => {
    setSearch({ [name]: chosen });
    close();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name === 'metadata' && metadataKey === '') return;
    const filter = name === 'metadata' ? `metadata.${metadataKey}` : name;
    const wanted = wantedValue(filter, value, apps);
    setProblem(wanted.problem);
    if (wanted.value === undefined) return;
    setSearch({ [filter]: wanted.value });
    close();
  };
  return (
    <Dialog title="Add a filter" close={close} size={400}>
      <form className="stack" onSubmit={submit}>
        <label className="field">
          <span>Filter by</span>
          <select
            className="input"
            data-autofocus
            value={name}
            onChange={(event) => {
              setName(event.target.value);
              setProblem(undefined);
            }}
          >
            {names.map(([each, label]) => (
              <option key={each} value={each}>
                {label}
              </option>
            ))}
            <option value="metadata">Metadata</option>
          </select>
        </label>
        {name === 'metadata' && (
          <label className="field">
            <span>Metadata key</span>
            <input
              className="input mono"
              value={metadataKey}
              onChange={(event) => setMetadataKey(event.target.value)}
            />
          </label>
        )}
        <Values name={name} choose={choose} />
        {FIXED[name] === undefined && name !== 'app' && (
          <label className="field">
            <span>Value</span>
            <input
              className="input"
              aria-invalid={problem !== undefined}
              value={value}
              onChange={(event) => {
                setValue(event.target.value);
                setProblem(undefined);
              }}
            />
          </label>
        )}
        {problem !== undefined && (
          <small className="problem" role="alert">
            {problem}
          </small>
        )}
        <div className="line">
          <button type="submit" className="button primary" disabled={value.trim() === ''}>
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Values({ name, choose }: { readonly name: string; readonly choose: (value: string) => void }): ReactNode {
  const apps = useApps().data;
  const view = useView();
  const search = useSearchParams();
  const hasFacets = useFeature('events.facets');
  const isByCall = useFeature('events.calls');
  const facets = useQuery({
    queryKey: ['facets', search],
    queryFn: () =>
      get<Facets>('/v1/events/facets', {
        ...queryOf(filtersOf(search).known),
        environment: view.environmentParam,
        ...view.span.times(),
        field: COUNTED,
        ...(isByCall ? { view: 'calls' } : {}),
      }),
    enabled: hasFacets,
  }).data;
  const counted = facets?.data[name];
  const options: readonly Facet[] =
    counted ??
    (name === 'app'
      ? (apps ?? []).map(({ id, name: label }) => ({ value: id, label, count: -1 }))
      : (FIXED[name] ?? []).map((value) => ({ value, count: -1 })));
  if (options.length === 0) return null;
  return (
    <ul className="choices">
      {options.map((each) => (
        <li key={each.value}>
          <button type="button" className="choice" onClick={() => choose(each.value)}>
            <UserText text={each.label ?? each.value} cut />
            {each.count >= 0 && (
              <span className="push dim tab-nums">
                {facets?.sampled === true && 'about '}
                {count(each.count)}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
