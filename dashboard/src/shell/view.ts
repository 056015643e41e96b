/** The view state in the URL: environment, time, filters. It is stored nowhere else. */
import { useMatches, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { ENVIRONMENTS, type Environment } from '../api/types.ts';
import { dayAndTime } from '../parts/format.ts';
import { environmentNamed, pageInEnvironment, type Chosen } from './page-environment.ts';
import { isRange, RANGES, type Range } from './ranges.ts';
import { fixedSpan, lastSeconds, type Span } from './span.ts';

export type Search = Readonly<Record<string, string | undefined>>;
/** The parameters that every link keeps. */
export const RETAINED = ['env', 'range', 'from', 'to'] as const;
const RANGE_WORDS: Readonly<Record<Range, string>> = {
  '1h': '1 hour',
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
};
const MINUTE_MS = 60_000;
const LAST_ENVIRONMENT = 'weir.environment';

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(pairs).toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
  return text === '' ? '' : `?${text}`;
}

export interface View {
  /** Of the path if it names one. */
  readonly environment: Chosen;
  /** The parameter of the API; absent for all environments. */
  readonly environmentParam: Environment | undefined;
  /** A single environment, for pages that need one. */
  readonly concrete: Environment;
  readonly range: Range | null;
  /** The time range for queries; `from` and `to` are for links and inputs. */
  readonly span: Span;
  readonly from: string;
  readonly to: string | undefined;
  readonly rangeWords: string;
  /** The range for the end of a sentence: "in the last 24 hours". */
  readonly during: string;
}

export function useSearchParams(): Search {
  return useSearch({ strict: false }) as Search;
}

/** Changes parameters of the URL; undefined removes one. */
export function useSetSearch(): (change: Search, replace?: boolean) => void {
  const navigate = useNavigate();
  return useCallback(
    (change, replace = false) =>
      void navigate({ to: '.', search: ((before: Search) => ({ ...before, ...change })) as never, replace }),
    [navigate],
  );
}

/** Chooses the environment. A page about one environment is replaced by the same page about the chosen one. */
export function useChooseEnvironment(): (chosen: Chosen) => void {
  const navigate = useNavigate();
  const route = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  return useCallback(
    (chosen) => {
      const { to, search } = pageInEnvironment(route, chosen);
      void navigate({
        to: to as '/policies/$env',
        params: (chosen === 'all' ? {} : { env: chosen }) as { env: Environment },
        search: ((before: Search) => ({ ...before, ...search })) as never,
      });
    },
    [navigate, route],
  );
}

export function useView(): View {
  const search = useSearchParams();
  const minute = useMinute();
  const { env: named } = useParams({ strict: false }) as { readonly env?: string };
  const environment = named === undefined ? environmentOf(search['env']) : environmentNamed(named);
  useEffect(() => {
    if (environment !== 'all') sessionStorage.setItem(LAST_ENVIRONMENT, environment);
  }, [environment]);
  const last = ENVIRONMENTS.find((each) => each === sessionStorage.getItem(LAST_ENVIRONMENT));
  const isFixed = search['from'] !== undefined;
  const range = isFixed ? null : rangeOf(search['range']);
  const [begin, end] = [search['from'] ?? '', search['to']].map(pointWords);
  const span = isFixed ? fixedSpan(search['from'] ?? '', search['to']) : lastSeconds(RANGES[range ?? '24h']);
  return {
    environment,
    environmentParam: environment === 'all' ? undefined : environment,
    concrete: environment === 'all' ? (last ?? 'production') : environment,
    range,
    span,
    from: search['from'] ?? new Date(minute * MINUTE_MS - RANGES[range ?? '24h'] * 1000).toISOString(),
    to: isFixed ? search['to'] : undefined,
    rangeWords: range === null ? `${begin} – ${end}` : RANGE_WORDS[range],
    during: range === null ? `from ${begin} to ${end}` : `in the last ${RANGE_WORDS[range]}`,
  };
}

function environmentOf(value: string | undefined): Chosen {
  return value === 'all' ? 'all' : environmentNamed(value ?? 'production');
}

function rangeOf(value: string | undefined): Range {
  return value !== undefined && isRange(value) ? value : '24h';
}

function pointWords(at: string | undefined): string {
  if (at === undefined) return 'now';
  return Number.isNaN(Date.parse(at)) ? at : dayAndTime(new Date(at));
}

/** The current minute: relative ranges such as "24 h" advance while the page is visible. */
function useMinute(): number {
  const [minute, setMinute] = useState(() => Math.floor(Date.now() / MINUTE_MS));
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (document.visibilityState === 'visible') setMinute(Math.floor(Date.now() / MINUTE_MS));
    }, MINUTE_MS);
    return () => window.clearInterval(timer);
  }, []);
  return minute;
}
