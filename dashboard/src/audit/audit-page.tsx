/**
 * The page of administrative changes: actor, action, time and origin. Entries are shown as sentences.
 */

/** Shows who did what, when, and from where. */
import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import { searchOf, type Query } from '../api/client.ts';
import { lostPart, usePages } from '../api/pages.ts';
import { useFeature, useMe } from '../api/queries.ts';
import type { AuditEntry, Me } from '../api/types.ts';
import { UnknownFilters } from '../events/unknown-filters.tsx';
import { Empty, Failed, Skeleton } from '../parts/block.tsx';
import { focusPage } from '../parts/focus.ts';
import { shortId } from '../parts/format.ts';
import { programOf } from '../parts/program.ts';
import { OlderButton } from '../parts/older-button.tsx';
import { Time } from '../parts/small.tsx';
import { UserText, visible } from '../parts/text.tsx';
import { Page } from '../shell/page.tsx';
import { useIsScrolled } from '../shell/use-scrolled.ts';
import { RETAINED, useSearchParams, useSetSearch, useView, type Search } from '../shell/view.ts';
import { sentence } from './sentences.ts';
import { TableHead } from '../parts/table-head.tsx';

const PAGE_SIZE = 100;

export function AuditPage(): ReactNode {
  const search = useSearchParams();
  const { action, subject, actor } = search;
  const setSearch = useSetSearch();
  const view = useView();
  const isTimed = useFeature('audit.filters');
  const query = { action, subject, ...(isTimed ? { actor } : {}) };
  const list = usePages<AuditEntry>({
    key: ['audit'],
    path: '/v1/audit',
    query: { ...query, limit: PAGE_SIZE },
    span: isTimed ? view.span : undefined,
    isHeld: useIsScrolled(),
  });
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const times = view.range === null ? view.rangeWords : `Last ${view.rangeWords}`;
  const isFiltered = action !== undefined || subject !== undefined || actor !== undefined;
  const remove = (change: Search): void => {
    focusPage();
    setSearch(change);
  };
  return (
    <Page title="Audit log">
      <UnknownFilters names={unknownIn(search)} />
      <div className="line">
        <Filters />
        <span className="meta push">
          {isTimed ? `${times}. ` : 'All times. '}Entries of this log are never changed or deleted.
        </span>
        {isTimed && <Downloads query={{ ...query, from: view.from, to: view.to }} />}
      </div>
      {actor !== undefined && (
        <div className="line">
          <button type="button" className="button" onClick={() => remove({ actor: undefined })}>
            Who: {visible(rows.find((row) => row.actor.id === actor)?.actor.name ?? shortId(actor))}
            <span aria-hidden="true"> ×</span>
            <span className="sr">, remove this filter</span>
          </button>
        </div>
      )}
      <Entries
        list={list}
        rows={rows}
        clear={isFiltered ? () => remove({ action: undefined, subject: undefined, actor: undefined }) : undefined}
        only={isTimed ? (who) => setSearch({ actor: who }) : undefined}
      />
    </Page>
  );
}

/** Links to files with the entries that match a query. */
function Downloads({ query }: { readonly query: Query }): ReactNode {
  return (['csv', 'jsonl'] as const).map((format) => (
    <a
      key={format}
      className="button"
      href={`/v1/audit${searchOf({ ...query, format })}`}
      download={`weir-audit.${format}`}
    >
      {format === 'csv' ? 'CSV' : 'JSON Lines'}
    </a>
  ));
}

interface EntriesProps {
  readonly list: ReturnType<typeof usePages<AuditEntry>>;
  /** The loaded entries of the list. */
  readonly rows: readonly AuditEntry[];
  /** Removes all filters; undefined: there are none. */
  readonly clear: (() => void) | undefined;
  readonly only: EntryProps['only'];
}

function Entries({ list, rows, clear, only }: EntriesProps): ReactNode {
  const me = useMe().data;
  const lost = lostPart(list);
  return (
    <>
      {lost === 'list' && list.error !== null && (
        <Failed what="the audit log" error={list.error} again={() => void list.refetch()} />
      )}
      {list.data === undefined && list.error === null && <Skeleton height={320} />}
      {list.data !== undefined && rows.length === 0 && <NoEntry clear={clear} />}
      {rows.length > 0 && (
        <table className={`table fold audit${list.isPlaceholderData ? ' outdated' : ''}`}>
          <TableHead columns={['What', 'Who', 'Subject', 'From', 'When']} />
          <tbody>
            {rows.map((entry) => (
              <Entry key={entry.id} entry={entry} me={me} only={only} />
            ))}
          </tbody>
        </table>
      )}
      {lost === 'next page' && list.error !== null && (
        <Failed what="older entries" error={list.error} again={() => void list.fetchNextPage()} />
      )}
      {list.hasNextPage && lost === null && (
        <div className="line">
          <OlderButton list={list} what="entries" />
        </div>
      )}
    </>
  );
}

function NoEntry({ clear }: Pick<EntriesProps, 'clear'>): ReactNode {
  return (
    <Empty>
      {clear === undefined ? 'No entry in this time range.' : 'No entry matches.'}{' '}
      {clear !== undefined && (
        <button type="button" className="button" onClick={clear}>
          Clear filters
        </button>
      )}
    </Empty>
  );
}

/** The parameters that the page uses. */
const KNOWN = new Set(['action', 'subject', 'actor', ...RETAINED]);
const unknownIn = (search: Search): readonly string[] =>
  Object.keys(search).filter((name) => search[name] !== undefined && !KNOWN.has(name));

function Filters(): ReactNode {
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const [action, setAction] = useState(search['action'] ?? '');
  const [subject, setSubject] = useState(search['subject'] ?? '');
  // The filters also change outside the form, for example when they are cleared.
  useEffect(() => setAction(search['action'] ?? ''), [search['action']]);
  useEffect(() => setSubject(search['subject'] ?? ''), [search['subject']]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setSearch({ action: action.trim() || undefined, subject: subject.trim() || undefined });
  };
  return (
    <form className="line wide-fields" onSubmit={submit}>
      <input
        className="input small mono"
        aria-label="Action"
        placeholder="Action, e.g. key.created"
        value={action}
        onChange={(event) => setAction(event.target.value)}
      />
      <input
        className="input small mono"
        aria-label="Subject"
        placeholder="Subject: an id"
        value={subject}
        onChange={(event) => setSubject(event.target.value)}
      />
      <button type="submit" className="button">
        Filter
      </button>
    </form>
  );
}

interface EntryProps {
  readonly entry: AuditEntry;
  readonly me: Me | undefined;
  /** Filters the list by this actor. */
  readonly only: ((who: string) => void) | undefined;
}

function Entry({ entry, me, only }: EntryProps): ReactNode {
  const { actor, from } = entry;
  const isMe = actor.kind === 'person' && actor.id === me?.person?.id;
  const who =
    actor.name ?? (isMe ? me?.person?.email : actor.id === null ? actor.kind : `${actor.kind} ${shortId(actor.id)}`);
  const hasDetails = Object.keys(entry.details).length > 0;
  return (
    <tr>
      <td>
        <details>
          <summary title={entry.action}>{sentence(entry)}</summary>
          <p className="mono">{entry.action}</p>
          {hasDetails && (
            <pre className="snippet" tabIndex={0}>
              {visible(JSON.stringify(entry.details, null, 2))}
            </pre>
          )}
        </details>
      </td>
      <td>
        {only === undefined ? (
          <UserText text={who ?? actor.kind} cut />
        ) : (
          <button
            type="button"
            className="link plain cut"
            title="Show only entries of this actor"
            onClick={() => only(actor.id ?? actor.kind)}
          >
            <UserText text={who ?? actor.kind} cut />
          </button>
        )}
      </td>
      <td className="cut" title={visible(entry.subject ?? '')}>
        {entry.subject_name === null ? (
          <span className="mono">{entry.subject === null ? '' : shortId(entry.subject)}</span>
        ) : (
          <UserText text={entry.subject_name} cut />
        )}
      </td>
      <td className="cut dim" title={visible(from.user_agent ?? '')}>
        {[
          from.address === null ? '' : visible(from.address),
          from.user_agent === null ? '' : programOf(from.user_agent),
        ]
          .filter(Boolean)
          .join(' · ')}
      </td>
      <td className="nowrap">
        <Time at={entry.at} as="exact" />
      </td>
    </tr>
  );
}
