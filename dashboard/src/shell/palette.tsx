/**
 * The command palette for search and navigation: pages, environments, apps, rules, ids. Text that looks like a secret is never sent.
 */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { get, type Schemas } from '../api/client.ts';
import { useApps, useFeature } from '../api/queries.ts';
import { ENVIRONMENTS, type CallEvent, type Page } from '../api/types.ts';
import { copyText } from '../parts/copying.ts';
import Dialog from '../parts/dialog.tsx';
import { Problem } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { shortId, tableTime } from '../parts/format.ts';
import { outcomeOf, outcomeWord } from '../parts/outcome.tsx';
import { looksSecret, SECRET_REFUSED } from '../parts/secret-shape.ts';
import { UserText } from '../parts/text.tsx';
import { deploymentsOf } from '../policies/use-policy.ts';
import { commandOf } from './as-command.ts';
import { nextTheme, setTheme } from './look.ts';
import { usePlaces } from './nav.ts';
import { pastedIds, type Pasted } from './pasted.ts';
import { signOut } from './signing-out.ts';
import { useChooseEnvironment, useSearchParams, useView } from './view.ts';

interface Hit {
  readonly group: string;
  readonly label: string;
  readonly icon: IconName;
  readonly go: () => void;
  /** Instead of `go`: the palette stays open until the work is done, and shows its failure. */
  readonly work?: () => Promise<void>;
}

const MAX_HITS = 40;

export default function Palette({ close }: { readonly close: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [places, actions, command] = [useHits(), useActionHits(), useCommandHit()];
  const [rules, recent] = [useRuleHits(), useRecentHits()];
  const all = useMemo(
    () => [...places, ...actions, ...command, ...rules, ...recent],
    [places, actions, command, rules, recent],
  );
  const pasted = useMemo(() => pastedIds(text.trim()), [text]);
  const [deployments, searches] = [useDeploymentHits(pasted), useTyped(text.trim(), pasted)];
  const typed = useMemo(() => [...deployments, ...searches], [deployments, searches]);
  const sending = useSending();
  const isSecret = looksSecret(text);
  const hits = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter(({ label, group }) =>
      words.every((word) => `${group} ${label}`.toLowerCase().includes(word)),
    );
    // Matching names are listed before the searches, which are offered for any text.
    return isSecret ? [] : [...found.slice(0, MAX_HITS - typed.length), ...typed];
  }, [text, all, typed, isSecret]);
  const run = (hit: Hit | undefined): void => {
    if (hit === undefined || sending.isSending) return;
    if (hit.work !== undefined) return sending.run(hit.work);
    close();
    hit.go();
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = Math.max(0, Math.min(at + step, hits.length - 1));
      setAt(next);
      // The list scrolls in its own box.
      document.getElementById(`hit-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(hits[at]);
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
      {isSecret && <p className="problem">{SECRET_REFUSED}</p>}
      <Problem of={sending} />
      <ul id="palette-hits" className="hits" role="listbox" aria-label="Found">
        {hits.map((hit, index) => (
          <li
            key={`${hit.group}-${hit.label}-${index}`}
            id={`hit-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => run(hit)}
            onMouseMove={({ movementX: x, movementY: y }) => {
              // When the list scrolls below a resting pointer, browsers also report a move.
              if (x !== 0 || y !== 0) setAt(index);
            }}
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
  const choose = useChooseEnvironment();
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
    for (const env of [...ENVIRONMENTS, 'all' as const])
      hits.push({
        group: 'Environment',
        label: env,
        icon: 'filter',
        go: () => choose(env),
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
      hits.push({
        group: 'Action',
        label: `Create a key for ${name}`,
        icon: 'key',
        go: () => void navigate({ to: '/apps/$id/settings/$tab', params: { id, tab: 'keys' } }),
      });
    }
    return hits;
  }, [places, apps, navigate, choose]);
}

function useActionHits(): readonly Hit[] {
  const navigate = useNavigate();
  const { concrete } = useView();
  return useMemo(() => {
    const action = (label: string, icon: IconName, go: () => void): Hit => ({ group: 'Action', label, icon, go });
    return [
      action('Create an app', 'plus', () => void navigate({ to: '/apps/$id/setup', params: { id: 'new' } })),
      action('New export', 'exports', () => void navigate({ to: '/exports' })),
      action(
        `Roll back ${concrete}…`,
        'policies',
        () => void navigate({ to: '/policies/$env/history', params: { env: concrete } }),
      ),
      action('Switch theme', 'moon', () => setTheme(nextTheme())),
      { ...action('Sign out', 'person', () => undefined), work: signOut },
    ];
  }, [navigate, concrete]);
}

const MOST_DEPLOYMENTS = 5;

/** The deployments with a pasted digest, in all environments. */
function useDeploymentHits(pasted: readonly Pasted[]): readonly Hit[] {
  const navigate = useNavigate();
  const digest = pasted.find(({ kind }) => kind === 'digest')?.id;
  const found = useQueries({
    queries: ENVIRONMENTS.map((env) => ({ ...deploymentsOf(env), enabled: digest !== undefined })),
    combine: (answers) => answers.flatMap(({ data }) => data?.data ?? []),
  });
  return useMemo(
    () =>
      (digest === undefined ? [] : found.filter((each) => each.digest?.startsWith(digest) === true))
        .slice(0, MOST_DEPLOYMENTS)
        .map(({ environment: env, number, digest: all }) => ({
          group: 'Deployment',
          label: `#${number} of ${env}, ${shortId(all ?? '', 8, 0)}`,
          icon: 'policies' as const,
          go: () =>
            void navigate({
              to: '/policies/$env/files',
              params: { env },
              search: { deployment: String(number) } as never,
            }),
        })),
    [found, digest, navigate],
  );
}

/** Hits for the text itself, which may be an id or the name of a rule. */
function useTyped(text: string, pasted: readonly Pasted[]): readonly Hit[] {
  const navigate = useNavigate();
  return useMemo(() => {
    if (text === '') return [];
    const hits: Hit[] = [];
    for (const { kind, id } of pasted) {
      if (kind === 'event')
        hits.push({
          group: 'Event',
          label: id,
          icon: 'events',
          go: () => void navigate({ to: '/events/$id', params: { id } }),
        });
      else if (kind !== 'digest')
        hits.push({
          group: `Events of ${kind}`,
          label: id,
          icon: kind === 'key' ? 'key' : 'policies',
          go: () => void navigate({ to: '/events', search: { [kind]: id } as never }),
        });
    }
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
  }, [text, pasted, navigate]);
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
      go: () => void copyText(command),
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
