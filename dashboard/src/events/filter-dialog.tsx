/** Adds a filter: its name, then its value, with counts of values if the service provides them. */
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { get } from '../api/client.ts';
import { useApps, useFeature } from '../api/queries.ts';
import Dialog from '../parts/dialog.tsx';
import { count } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { UserText } from '../parts/text.tsx';
import { useSearchParams, useSetSearch, useView, type Search } from '../shell/view.ts';
import {
  filtersBeside,
  MOST_COUNTED,
  optionsOf,
  optionsWith,
  withoutValue,
  withValues,
  type Facet,
  type Option,
} from './filter-options.ts';
import { FILTERS, FIXED, filtersOf, queryOf, wantedValue } from './filters.ts';

interface Facets {
  readonly sampled: boolean;
  readonly data: Readonly<Record<string, readonly Facet[]>>;
}
/** Filters whose values the service counts. */
const COUNTED = new Set(['app', 'model', 'provider', 'key', 'rule', 'outcome']);
/** Filters that older versions of the service do not support. */
const NEWER = new Set(['outcome', 'key', 'provider', 'min_cost_usd', 'min_weir_ms']);

export default function FilterDialog({ close }: { readonly close: () => void }): ReactNode {
  const [name, setName] = useState('app');
  const [value, setValue] = useState('');
  const [metadataKey, setMetadataKey] = useState('');
  const [problem, setProblem] = useState<string>();
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const apps = useApps().data ?? [];
  const { options, isSampled } = useOptions(name);
  const shown = optionsWith(options, value);
  const finish = (change: Search): void => {
    setSearch(change);
    close();
  };
  const choose = ({ value: chosen, isChosen }: Option): void =>
    finish((isChosen ? withoutValue : withValues)(search, name, chosen));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name === 'metadata' && metadataKey === '') return;
    const filter = name === 'metadata' ? `metadata.${metadataKey}` : name;
    const wanted = wantedValue(filter, value, apps);
    const [only, ...others] = shown;
    // The beginning of a name is enough if a single value is left.
    if (wanted.problem !== undefined && only !== undefined && others.length === 0)
      return finish(withValues(search, name, only.value));
    setProblem(wanted.problem);
    if (wanted.value !== undefined) finish(withValues(search, filter, wanted.value));
  };
  return (
    <Dialog title="Add a filter" close={close} size={400}>
      <form className="stack" onSubmit={submit}>
        <NameChoice
          name={name}
          choose={(chosen) => {
            setName(chosen);
            setValue('');
            setProblem(undefined);
          }}
        />
        {name === 'metadata' && <MetadataKeyField value={metadataKey} change={setMetadataKey} />}
        <ValueField
          value={value}
          problem={problem}
          change={(typed) => {
            setValue(typed);
            setProblem(undefined);
          }}
        />
        <Values options={shown} isSampled={isSampled} choose={choose} />
        <div className="line">
          <button type="submit" className="button primary" disabled={value.trim() === ''}>
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface FieldProps {
  readonly value: string;
  readonly change: (value: string) => void;
}

function MetadataKeyField({ value, change }: FieldProps): ReactNode {
  return (
    <label className="field">
      <span>Metadata key</span>
      <input className="input mono" required value={value} onChange={(event) => change(event.target.value)} />
    </label>
  );
}

interface ValueFieldProps extends FieldProps {
  /** Why the value cannot be used. */
  readonly problem: string | undefined;
}

function ValueField({ value, problem, change }: ValueFieldProps): ReactNode {
  return (
    <>
      <label className="field">
        <span>Value</span>
        <input
          className="input"
          autoComplete="off"
          dir="auto"
          aria-invalid={problem !== undefined}
          value={value}
          onChange={(event) => change(event.target.value)}
        />
      </label>
      {problem !== undefined && (
        <small className="problem" role="alert">
          {problem}
        </small>
      )}
    </>
  );
}

interface NameChoiceProps {
  readonly name: string;
  readonly choose: (name: string) => void;
}

function NameChoice({ name, choose }: NameChoiceProps): ReactNode {
  const isNewer = useFeature('events.outcome');
  const hasMarks = useFeature('events.mark_filter');
  const names = Object.entries(FILTERS).filter(
    ([each]) => (isNewer || !NEWER.has(each)) && (hasMarks || each !== 'mark'),
  );
  return (
    <label className="field">
      <span>Filter by</span>
      <select className="input" data-autofocus value={name} onChange={(event) => choose(event.target.value)}>
        {names.map(([each, label]) => (
          <option key={each} value={each}>
            {label}
          </option>
        ))}
        <option value="metadata">Metadata</option>
      </select>
    </label>
  );
}

/** The values of a filter that can be chosen: every app or word, and otherwise those that the service found. */
function useOptions(name: string): { readonly options: readonly Option[]; readonly isSampled: boolean } {
  const apps = useApps().data;
  const view = useView();
  const search = useSearchParams();
  const hasFacets = useFeature('events.facets');
  const isByCall = useFeature('events.calls');
  const query = {
    ...filtersBeside(queryOf(filtersOf(search).known), name),
    environment: view.environmentParam,
    ...(isByCall ? { view: 'calls' } : {}),
  };
  const facets = useQuery({
    queryKey: ['facets', name, query, view.span.key],
    queryFn: ({ signal }) => {
      const asked = { ...query, ...view.span.times(), field: name, limit: MOST_COUNTED };
      return get<Facets>('/v1/events/facets', asked, { signal });
    },
    enabled: hasFacets && COUNTED.has(name),
  }).data;
  const known =
    name === 'app'
      ? apps?.map(({ id, name: label }) => ({ value: id, label }))
      : FIXED[name]?.map((value) => ({ value, label: value }));
  const counted = facets?.data[name];
  const isOffered = known !== undefined || COUNTED.has(name);
  return { options: isOffered ? optionsOf(search, name, { known, counted }) : [], isSampled: facets?.sampled === true };
}

interface ValuesProps {
  readonly options: readonly Option[];
  /** Only a part of the events was counted. */
  readonly isSampled: boolean;
  readonly choose: (option: Option) => void;
}

function Values({ options, isSampled, choose }: ValuesProps): ReactNode {
  if (options.length === 0) return null;
  return (
    <ul className="choices" aria-label="Choices">
      {options.map((each) => (
        <li key={each.value}>
          <button type="button" className="choice" aria-pressed={each.isChosen} onClick={() => choose(each)}>
            {each.isChosen && <Icon name="check" />}
            <UserText text={each.label} cut />
            {each.count !== undefined && (
              <span className="push dim tab-nums">
                {isSampled && 'about '}
                {count(each.count)}
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}
