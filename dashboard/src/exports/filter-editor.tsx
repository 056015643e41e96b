/** An editable list of filters of events, for filters that are not stored in the URL. */
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useApps } from '../api/queries.ts';
import type { App } from '../api/types.ts';
import { withValues } from '../events/filter-options.ts';
import { FILTERS, shownValue, wantedValue } from '../events/filters.ts';
import { Icon } from '../parts/icons.tsx';
import { visible } from '../parts/text.tsx';

const NAMES: Readonly<Record<string, string>> = { environment: 'Environment', ...FILTERS };

interface FilterEditorProps {
  readonly filters: Readonly<Record<string, string>>;
  readonly change: (filters: Record<string, string>) => void;
}

export function FilterEditor({ filters, change }: FilterEditorProps): ReactNode {
  const apps = useApps().data ?? [];
  const shown = Object.entries(filters);
  return (
    <div className="field" role="group" aria-label="Which events">
      <span>Which events</span>
      {shown.length === 0 ? (
        <p>All events</p>
      ) : (
        <ul className="line" aria-label="Filters">
          {shown.map(([each, text]) => (
            <li key={each} className="filter">
              <span>
                {labelOf(each)} <b>{visible(shownValue({ name: each, value: text }, apps))}</b>
              </span>
              <button
                type="button"
                aria-label={`Remove ${labelOf(each)}`}
                onClick={() => change(Object.fromEntries(shown.filter(([other]) => other !== each)))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <NewFilter
        apps={apps}
        add={(name, value) => change(defined({ ...filters, ...withValues(filters, name, value) }))}
      />
    </div>
  );
}

interface NewFilterProps {
  readonly apps: readonly App[];
  readonly add: (name: string, value: string) => void;
}

/** The fields for one more filter. */
function NewFilter({ apps, add: addToList }: NewFilterProps): ReactNode {
  const [name, setName] = useState('outcome');
  const [value, setValue] = useState('');
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // A form that is sent without the typed filter would select more events than the person wants.
    field.current?.setCustomValidity(value.trim() === '' ? '' : 'Add this value as a filter, or empty the field.');
  }, [value]);
  const add = (): void => {
    const wanted = wantedValue(name, value, apps);
    setProblem(wanted.problem);
    if (wanted.value === undefined) return;
    addToList(name, wanted.value);
    setValue('');
  };
  const typed = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    // Enter in this field adds a filter; it does not send the form.
    event.preventDefault();
    add();
  };
  const choose = (chosen: string): void => {
    setName(chosen);
    setProblem(undefined);
  };
  return (
    <>
      <div className="line nowrap-box">
        <NameSelect name={name} choose={choose} />
        {/* `placeholder` is the attribute of HTML: the empty field has no visible label, and shows this as a hint. */}
        <input
          ref={field}
          className="input"
          aria-label="Value; separate several with commas"
          placeholder="Value; separate several with commas"
          autoComplete="off"
          aria-invalid={problem !== undefined}
          value={value}
          onChange={(event) => {
            setValue(event.target.value);
            setProblem(undefined);
          }}
          onKeyDown={typed}
        />
        <button type="button" className="button" disabled={value.trim() === ''} onClick={add}>
          Add
        </button>
      </div>
      {problem !== undefined && (
        <small className="problem" role="alert">
          {problem}
        </small>
      )}
    </>
  );
}

interface NameSelectProps {
  readonly name: string;
  readonly choose: (name: string) => void;
}

function NameSelect({ name, choose }: NameSelectProps): ReactNode {
  return (
    <select
      className="input small"
      aria-label="Filter by"
      value={name}
      onChange={(event) => choose(event.target.value)}
    >
      {Object.entries(NAMES).map(([each, label]) => (
        <option key={each} value={each}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** The parameters that have a value. */
export function defined(filters: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

function labelOf(name: string): string {
  const plain = name.startsWith('not.') ? name.slice(4) : name;
  const label = Object.hasOwn(NAMES, plain) ? NAMES[plain] : undefined;
  return `${plain === name ? '' : 'not '}${label ?? visible(plain.replace(/^metadata\./, ''))}`;
}
