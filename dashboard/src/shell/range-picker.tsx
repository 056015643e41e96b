/** Which time is looked at: a preset, or two points. Parts of charts that are drawn over come here, too. */
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { RANGES, useSearchParams, useSetSearch, useView, type Range } from './view.ts';

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
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="button range"
        data-range=""
        aria-label={range === null ? `${rangeWords}, time` : `${SHORT[range]}, time`}
        title={`Time zone: ${Intl.DateTimeFormat().resolvedOptions().timeZone}`}
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

/** As the browser's own input takes it: local time without a zone. */
function local(at: string | undefined): string {
  if (at === undefined || Number.isNaN(Date.parse(at))) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function RangeDialog({ close }: { readonly close: () => void }): ReactNode {
  const view = useView();
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const [from, setFrom] = useState(local(search['from'] ?? view.from));
  const [to, setTo] = useState(local(search['to']));
  const isBackwards = to !== '' && from !== '' && from >= to;
  const choose = (range: Range): void => {
    setSearch({ range: range === '24h' ? undefined : range, from: undefined, to: undefined });
    close();
  };
  const apply = (): void => {
    setSearch({
      from: from === '' ? undefined : new Date(from).toISOString(),
      to: to === '' ? undefined : new Date(to).toISOString(),
      range: undefined,
    });
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
        <label className="field">
          <span>From</span>
          <input
            className="input"
            type="datetime-local"
            value={from}
            onChange={(event) => setFrom(event.target.value)}
          />
        </label>
        <label className="field">
          <span>To (empty: now)</span>
          <input className="input" type="datetime-local" value={to} onChange={(event) => setTo(event.target.value)} />
        </label>
        {isBackwards && <p className="problem">The end lies before the beginning.</p>}
        <p className="hint">In the time zone of this browser, {Intl.DateTimeFormat().resolvedOptions().timeZone}.</p>
        <div className="line">
          <button type="button" className="button primary" disabled={isBackwards || from === ''} onClick={apply}>
            Show
          </button>
        </div>
      </div>
    </Dialog>
  );
}
