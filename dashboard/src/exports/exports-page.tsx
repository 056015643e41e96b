/** Downloads of complete events: the filters of the list, with the file streamed by the browser. */
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { searchOf, type Query } from '../api/client.ts';
import { useApps, useFeature } from '../api/queries.ts';
import { plural } from '../parts/format.ts';
import { Segments } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { filtersOf, queryOf, shownValue, type Filter } from '../events/filters.ts';
import { UnknownFilters } from '../events/unknown-filters.tsx';
import { useEventCount } from '../events/use-count.ts';
import { Page } from '../shell/page.tsx';
import { useSearchParams, useView, type View } from '../shell/view.ts';
import { Jobs } from './jobs.tsx';
import { FORMAT_OPTIONS, type Format } from './schedule-words.ts';
import { Schedules } from './schedules.tsx';
import { TableColumns, type ChosenColumns } from './table-columns.tsx';

/** The name of a filter within a sentence; keys of metadata stay as they are, because their case matters. */
const labelInText = ({ name, label }: Filter): string =>
  /^(?:not\.)?metadata\./.test(name) ? label : label.toLowerCase();

export function ExportsPage(): ReactNode {
  const search = useSearchParams();
  const view = useView();
  const hasJobs = useFeature('exports');
  const hasSchedules = useFeature('exports.schedules');
  const [format, setFormat] = useState<Format>('jsonl');
  const [hasMark, setMark] = useState(false);
  const [columns, setColumns] = useState<ChosenColumns>(null);
  const table = format === 'jsonl' ? null : columns;
  const { known, unknown } = filtersOf(search);
  // An export under only some of the filters of a link would have more events than the link names.
  const isUnclear = unknown.length > 0;
  const query = { ...queryOf(known), environment: view.environmentParam };
  const filters = { ...query, from: view.from, to: view.to };
  const bom = format === 'csv' && hasMark ? true : undefined;
  return (
    <Page title="Exports">
      <UnknownFilters names={unknown} />
      <section className="stack form">
        <h2>New export</h2>
        <dl className="facts-list">
          <dt>What</dt>
          <dd>
            <ExportedEvents view={view} known={known} query={query} isUnclear={isUnclear} />
          </dd>
          <dt>Filters</dt>
          <dd>
            <Link to="/events" search={((before: object) => ({ ...before, view: 'events' })) as never} className="link">
              Show these events, or change the filters, in Events
            </Link>
          </dd>
          <dt>Format</dt>
          <dd>
            <Segments label="Format" value={format} options={FORMAT_OPTIONS} onChange={setFormat} />
          </dd>
        </dl>
        {format !== 'jsonl' && <TableColumns chosen={columns} change={setColumns} />}
        {format === 'csv' && <ByteOrderMark hasMark={hasMark} change={setMark} />}
        <div className="line">
          <Download
            query={isUnclear ? undefined : { ...filters, format, columns: table?.join(','), bom }}
            format={format}
          />
        </div>
        <p className="hint">Streamed during the download, for files of any size.</p>
      </section>
      {hasJobs && <Jobs filters={filters} isUnclear={isUnclear} format={format} bom={hasMark} columns={table} />}
      {hasSchedules && <Schedules filters={query} isUnclear={isUnclear} />}
    </Page>
  );
}

interface ExportedEventsProps {
  readonly view: View;
  readonly known: readonly Filter[];
  /** The filters with the environment. */
  readonly query: Query;
  /** The page has filters that this version does not know, so the number of events is unknown. */
  readonly isUnclear: boolean;
}

/** The events of the export in words, and their number. */
function ExportedEvents({ view, known, query, isUnclear }: ExportedEventsProps): ReactNode {
  const apps = useApps().data ?? [];
  const { total, hasFailed } = useEventCount(query, view.span);
  const calls = useEventCount({ ...query, view: 'calls' }, view.span, useFeature('events.calls')).total;
  const words = [
    view.environment === 'all' ? 'all environments' : view.environment,
    view.range === null ? view.rangeWords : `last ${view.rangeWords}`,
  ];
  return (
    <>
      {words.join(', ')}
      {known.map((filter) => (
        <span key={filter.name}>
          , {visible(labelInText(filter))} {visible(shownValue(filter, apps))}
        </span>
      ))}
      {total !== undefined && !isUnclear && (
        <span className="dim">
          {' '}
          · about {total} {plural(total, 'event')}
          {calls !== undefined && `; the list in Events has ${calls} ${plural(calls, 'call')}`}
        </span>
      )}
      {hasFailed && <span className="dim"> · the number could not be loaded</span>}
      <p className="hint">
        An export has one row per event, and each of these events matches all filters by itself. The list of calls in
        Events also shows a call whose last event has the outcome, or whose other events match; its remaining events are
        not exported.
      </p>
    </>
  );
}

interface ByteOrderMarkProps {
  readonly hasMark: boolean;
  readonly change: (hasMark: boolean) => void;
}

function ByteOrderMark({ hasMark, change }: ByteOrderMarkProps): ReactNode {
  return (
    <>
      <label className="line tight nowrap-box">
        <input type="checkbox" checked={hasMark} onChange={(event) => change(event.target.checked)} />
        Add a byte order mark, so that Excel detects UTF-8
      </label>
      <p className="hint">Cells that a spreadsheet would run as a formula start with an apostrophe.</p>
    </>
  );
}

interface DownloadProps {
  /** undefined: nothing can be downloaded. */
  readonly query: Query | undefined;
  readonly format: Format;
}

function Download({ query, format }: DownloadProps): ReactNode {
  if (query === undefined)
    return (
      <button type="button" className="button primary" disabled>
        Download now
      </button>
    );
  return (
    <a className="button primary" href={`/v1/events/export${searchOf(query)}`} download={`weir-events.${format}`}>
      Download now
    </a>
  );
}
