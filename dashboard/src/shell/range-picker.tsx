/** Selects the time range: a preset, or two points. Ranges dragged on charts are passed here as well. */
import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import { Field } from '../parts/small.tsx';
import {
  browserZone,
  chosenZone,
  isLocalInput,
  LAST_LOCAL_INPUT,
  setZone,
  shownTime,
  typedTime,
  useZone,
} from '../parts/zone.ts';
import { RANGES, type Range } from './ranges.ts';
import { useSearchParams, useSetSearch, useView, type Search } from './view.ts';
import { useZoomBack } from './zoom.ts';

const Dialog = lazy(() => import('../parts/dialog.tsx'));
const SHORT: Readonly<Record<Range, string>> = {
  '1h': '1 h',
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
  '90d': '90 d',
};

export function RangePicker(): ReactNode {
  const { range, rangeWords } = useView();
  const zone = useZone();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {range === null && <BackToRange />}
      <button
        type="button"
        className="button range"
        data-range=""
        aria-label={range === null ? `${rangeWords}, time` : `${SHORT[range]}, time`}
        title={`Time zone: ${zone}`}
        onClick={() => setOpen(true)}
      >
        {range === null ? <span className="cut">{rangeWords}</span> : SHORT[range]}
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <RangeDialog close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** The way back from two points in time: to the range before the zoom, or to the usual range if the points came with a link. */
function BackToRange(): ReactNode {
  const { range: kept } = useSearchParams();
  const setSearch = useSetSearch();
  const zoomed = useZoomBack();
  const { from, range: before }: Search = zoomed?.before ?? { range: kept };
  const range = (Object.keys(RANGES) as Range[]).find((each) => each === before) ?? '24h';
  const words = from === undefined ? `Back to ${SHORT[range]}` : 'Zoom out';
  return (
    <button
      type="button"
      className="button quiet wide-only"
      title={zoomed === undefined ? words : `${words} (Esc)`}
      onClick={zoomed?.go ?? (() => setSearch({ from: undefined, to: undefined }))}
    >
      {words}
    </button>
  );
}

function RangeDialog({ close }: { readonly close: () => void }): ReactNode {
  const view = useView();
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const [from, setFrom] = useState(() => shownTime(search['from'] ?? view.from));
  const [to, setTo] = useState(() => shownTime(search['to']));
  const [fromProblem, toProblem] = [from, to].map(({ text }) => problemOf(text));
  const isReadable = fromProblem === undefined && toProblem === undefined;
  const isBackwards = from.at !== undefined && to.at !== undefined && Date.parse(from.at) >= Date.parse(to.at);
  const choose = (range: Range): void => {
    setSearch({ range: range === '24h' ? undefined : range, from: undefined, to: undefined });
    close();
  };
  const apply = (): void => {
    setSearch({ from: from.at, to: to.at, range: undefined });
    close();
  };
  return (
    <Dialog title="Time" close={close} size={360}>
      <div className="stack">
        <div className="segments" role="group" aria-label="The last">
          {(Object.keys(RANGES) as Range[]).map((each) => (
            <button key={each} type="button" aria-pressed={view.range === each} onClick={() => choose(each)}>
              {SHORT[each]}
            </button>
          ))}
        </div>
        <Field label="From" problem={fromProblem}>
          <TimeInput value={from.text} change={(text) => setFrom(typedTime(text))} />
        </Field>
        <Field label="To (empty: now)" problem={toProblem}>
          <TimeInput value={to.text} change={(text) => setTo(typedTime(text))} />
        </Field>
        {isBackwards && <p className="problem">The end is before the start.</p>}
        <ZoneChoice
          choose={(zone) => {
            // The typed times stay the same moments and are shown in the new zone.
            setZone(zone);
            setFrom(({ at }) => shownTime(at));
            setTo(({ at }) => shownTime(at));
          }}
        />
        <div className="line form-end">
          <button
            type="button"
            className="button primary"
            disabled={!isReadable || isBackwards || from.at === undefined}
            onClick={apply}
          >
            Show
          </button>
        </div>
      </div>
    </Dialog>
  );
}

const problemOf = (text: string): string | undefined =>
  text === '' || isLocalInput(text) ? undefined : 'A year has four digits.';

interface TimeInputProps {
  readonly value: string;
  readonly change: (value: string) => void;
}

function TimeInput({ value, change }: TimeInputProps): ReactNode {
  return (
    <input
      className="input"
      type="datetime-local"
      max={LAST_LOCAL_INPUT}
      value={value}
      onChange={(event) => change(event.target.value)}
    />
  );
}

/** The time zone in which times are shown and typed; stored times do not change. */
function ZoneChoice({ choose }: { readonly choose: (zone: string | undefined) => void }): ReactNode {
  useZone();
  const zones = useMemo(() => Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC'), []);
  return (
    <label className="field">
      <span>Time zone of displayed times, stored in this browser</span>
      <select
        className="input"
        value={chosenZone() ?? ''}
        onChange={({ target: { value } }) => choose(value === '' ? undefined : value)}
      >
        <option value="">This browser’s, {browserZone()}</option>
        <option value="UTC">UTC</option>
        {zones.map((zone) => (
          <option key={zone} value={zone}>
            {zone.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
    </label>
  );
}
