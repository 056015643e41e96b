/**
 * The hits of the command palette: pages, environments, apps, rules, ids, and actions.
 */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { get, type Schemas } from '../api/client.ts';
import { useApps, useFeature } from '../api/queries.ts';
import { ENVIRONMENTS, type CallEvent, type Page } from '../api/types.ts';
import { copyText } from '../parts/copying.ts';
import type { IconName } from '../parts/icons.tsx';
import { shortId, tableTime } from '../parts/format.ts';
import { outcomeOf, outcomeWord } from '../parts/outcome.tsx';
import { deploymentsOf } from '../policies/use-policy.ts';
import { commandOf } from './as-command.ts';
import { nextTheme, setTheme } from './look.ts';
import { usePlaces } from './nav.ts';
import { pastedIds, type Pasted } from './pasted.ts';
import { signOut } from './signing-out.ts';
import { useChooseEnvironment, useSearchParams, useView } from './view.ts';

export interface Hit {
  readonly group: string;
  readonly label: string;
  readonly icon: IconName;
  readonly go: () => void;
  /** Instead of `go`: the palette stays open until the work is done, and shows its failure. */
  readonly work?: () => Promise<void>;
}

const MAX_HITS = 40;

/**
 * The hits for a typed or pasted text.
 *
 * @param isSecret the text looks like a secret: nothing is found, so that it is not sent
 */
export function useHits(text: string, isSecret: boolean): readonly Hit[] {
  const [places, actions, command] = [usePlaceHits(), useActionHits(), useCommandHit()];
  const [rules, recent] = [useRuleHits(), useRecentHits()];
  const all = useMemo(
    () => [...places, ...actions, ...command, ...rules, ...recent],
    [places, actions, command, rules, recent],
  );
  const pasted = useMemo(() => pastedIds(text.trim()), [text]);
  const [deployments, searches] = [useDeploymentHits(pasted), useTyped(text.trim(), pasted)];
  const typed = useMemo(() => [...deployments, ...searches], [deployments, searches]);
  return useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter(({ label, group }) =>
      words.every((word) => `${group} ${label}`.toLowerCase().includes(word)),
    );
    // Matching names are listed before the searches, which are offered for any text.
    return isSecret ? [] : [...found.slice(0, MAX_HITS - typed.length), ...typed];
  }, [text, all, typed, isSecret]);
}

/** Pages, environments and apps. */
function usePlaceHits(): readonly Hit[] {
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

function useCommand(): string | undefined {
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
