/**
 * The command palette for search and navigation: pages, environments, apps, rules, ids. Text that looks like a secret is never sent.
 */
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { get, type Schemas } from '../api/client.ts';
import { useApps, useFeature } from '../api/queries.ts';
import { ENVIRONMENTS, type CallEvent, type Page } from '../api/types.ts';
import Dialog from '../parts/dialog.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { tableTime } from '../parts/format.ts';
import { outcomeOf, outcomeWord } from '../parts/outcome.tsx';
import { UserText } from '../parts/text.tsx';
import { commandOf } from './as-command.ts';
import { nextTheme, setTheme } from './look.ts';
import { usePlaces } from './nav.ts';
import { useSearchParams, useSetSearch, useView } from './view.ts';
import { isUuid } from '../parts/uuid.ts';

interface Hit {
  readonly group: string;
  readonly label: string;
  readonly icon: IconName;
  readonly go: () => void;
}

const SECRET = /\b(?:sk|wt)_(?:live|test)?_?wr1_[\w-]{20,}/i;
const MAX_HITS = 40;

export default function Palette({ close }: { readonly close: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [places, rules, recent, command] = [useHits(), useRuleHits(), useRecentHits(), useCommandHit()];
  const all = useMemo(() => [...places, ...command, ...rules, ...recent], [places, command, rules, recent]);
  const typed = useTyped(text.trim());
  const isSecret = SECRET.test(text);
  const hits = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter(({ label, group }) =>
      words.every((word) => `${group} ${label}`.toLowerCase().includes(word)),
    );
    // Matching names are listed before the searches, which are offered for any text.
    return isSecret ? [] : [...found.slice(0, MAX_HITS - typed.length), ...typed];
  }, [text, all, typed, isSecret]);
  const run = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    close();
    hit.go();
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((before) => Math.min(Math.max(0, before + step), hits.length - 1));
    } else if (event.key === 'Enter') run(hits[at]);
  };
  return (
    <Dialog title="Search or jump to" close={close} size={560}>
      <input
        className="input"
        role="combobox"
        aria-label="Search or jump to"
        aria-expanded="true"
        aria-controls="palette-hits"
        aria-activedescendant={hits[at] === undefined ? undefined : `hit-${at}`}
        data-autofocus
        placeholder="A page, an app, an event id, a rule…"
        value={text}
        onKeyDown={press}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
      />
      {isSecret && <p className="problem">This looks like a secret. It was not sent.</p>}
      <ul id="palette-hits" className="hits" role="listbox" aria-label="Found">
        {hits.map((hit, index) => (
          <li
            key={`${hit.group}-${hit.label}-${index}`}
            id={`hit-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => run(hit)}
            onMouseMove={() => setAt(index)}
          >
            <Icon name={hit.icon} />
            <UserText text={hit.label} cut />
            <span className="push meta">{hit.group}</span>
          </li>
        ))}
        {hits.length === 0 && !isSecret && (
          <li role="option" aria-selected="false" aria-disabled="true" className="meta">
            No match
          </li>
        )}
      </ul>
    </Dialog>
  );
}

function useHits(): readonly Hit[] {
  const navigate = useNavigate();
  const setSearch = useSetSearch();
  const places = usePlaces();
  const apps = useApps().data;
  return useMemo(() => {
    const hits: Hit[] = places.map(({ to, label, icon }) => ({
      group: 'Go to',
      label,
      icon,
      go: () => void navigate({ to: to as '/' }),
    }));
    hits.push({
      group: 'Go to',
      label: 'Playground',
      icon: 'policies',
      go: () => void navigate({ to: '/policies/playground' }),
    });
    for (const env of [...ENVIRONMENTS, 'all'])
      hits.push({
        group: 'Environment',
        label: env,
        icon: 'filter',
        go: () => setSearch({ env: env === 'production' ? undefined : env }),
      });
    for (const { id, name } of apps ?? []) {
      hits.push({
        group: 'App',
        label: name,
        icon: 'apps',
        go: () => void navigate({ to: '/apps/$id/settings', params: { id } }),
      });
      hits.push({
        group: 'Events of',
        label: name,
        icon: 'events',
        go: () => void navigate({ to: '/events', search: { app: id } as never }),
      });
    }
    hits.push({
      group: 'Action',
      label: 'Create an app',
      icon: 'plus',
      go: () => void navigate({ to: '/apps/$id/setup', params: { id: 'new' } }),
    });
    hits.push({ group: 'Action', label: 'Switch theme', icon: 'moon', go: () => setTheme(nextTheme()) });
    hits.push({
      group: 'Action',
      label: 'Sign out',
      icon: 'person',
      go: () => void navigate({ to: '/settings/$tab', params: { tab: 'sessions' } }),
    });
    return hits;
  }, [places, apps, navigate, setSearch]);
}

/** Hits for the text itself, which may be an id or the name of a rule. */
function useTyped(text: string): readonly Hit[] {
  const navigate = useNavigate();
  return useMemo(() => {
    if (text === '') return [];
    const hits: Hit[] = [];
    if (isUuid(text))
      hits.push({
        group: 'Event',
        label: text,
        icon: 'events',
        go: () => void navigate({ to: '/events/$id', params: { id: text } }),
      });
    if (/^[\w-]+\.[\w.-]+$/.test(text))
      hits.push({
        group: 'Events of rule',
        label: text,
        icon: 'policies',
        go: () => void navigate({ to: '/events', search: { rule: text } as never }),
      });
    hits.push({
      group: 'Events with the text',
      label: text,
      icon: 'search',
      go: () => void navigate({ to: '/events', search: { q: text } as never }),
    });
    hits.push({
      group: 'Events of request',
      label: text,
      icon: 'events',
      go: () => void navigate({ to: '/events', search: { request_id: text } as never }),
    });
    return hits;
  }, [text, navigate]);
}

/** The command that shows the same as the page in a terminal, if there is one. */
function useCommandHit(): readonly Hit[] {
  const command = useCommand();
  if (command === undefined) return [];
  return [
    {
      group: 'Action',
      label: `Copy as ${command}`,
      icon: 'copy',
      go: () => void navigator.clipboard.writeText(command),
    },
  ];
}

export function useCommand(): string | undefined {
  const { pathname } = useLocation();
  const search = useSearchParams();
  const { environment, concrete, range, to } = useView();
  return commandOf({ pathname, search, environment, concrete, range, to });
}

const A_WHILE_MS = 60_000;

/** The active rules of the current environment; requested when the palette is opened. */
function useRuleHits(): readonly Hit[] {
  const navigate = useNavigate();
  const { concrete } = useView();
  const isThere = useFeature('policies.rules');
  const rules = useQuery({
    queryKey: ['rules', concrete, undefined],
    queryFn: ({ signal }) => get<Schemas['Rules']>(`/v1/policies/${concrete}/rules`, {}, { signal }),
    enabled: isThere,
    staleTime: A_WHILE_MS,
  }).data?.rules;
  return useMemo(
    () =>
      (rules ?? []).map(({ id, title }) => ({
        group: 'Rule',
        label: `${id} ${title}`,
        icon: 'policies' as const,
        go: () => void navigate({ to: '/policies/$env/rules/$rule', params: { env: concrete, rule: id } }),
      })),
    [rules, concrete, navigate],
  );
}

const RECENT = 5;

function useRecentHits(): readonly Hit[] {
  const navigate = useNavigate();
  const { environmentParam } = useView();
  const isByCall = useFeature('events.calls');
  const recent = useQuery({
    queryKey: ['events', 'recent', environmentParam],
    queryFn: ({ signal }) =>
      get<Page<CallEvent>>(
        '/v1/events',
        { environment: environmentParam, limit: RECENT, fields: 'summary', ...(isByCall ? { view: 'calls' } : {}) },
        { signal },
      ),
    staleTime: A_WHILE_MS,
  }).data?.data;
  return useMemo(
    () =>
      (recent ?? []).map((event) => ({
        group: 'Recent event',
        label: `${tableTime(event.received_at)} ${outcomeWord(outcomeOf(event))}, ${event.app.name ?? event.app.id}`,
        icon: 'events' as const,
        go: () => void navigate({ to: '/events/$id', params: { id: event.id } }),
      })),
    [recent, navigate],
  );
}
