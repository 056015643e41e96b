import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, type ReactNode } from 'react';
import { get } from '../api/client.ts';
import { isSettled, useFeature } from '../api/queries.ts';
import type { ActivePolicy, CallEvent, Environment, Page as Paged } from '../api/types.ts';
import { Bars } from '../parts/bars.tsx';
import { Block, Empty, Part, Skeleton } from '../parts/block.tsx';
import { counted, ratio } from '../parts/format.ts';
import { EventRows } from '../parts/event-rows.tsx';
import { FurtherBack } from '../parts/further-back.tsx';
import { Time } from '../parts/small.tsx';
import { FilePath, visible } from '../parts/text.tsx';
import { PolicyFrame } from './policy-frame.tsx';
import { filterOfRule, ruleNamed, ruleWords } from './rule-words.ts';
import { useActive, useBundle, useEnvironmentParam } from './use-policy.ts';
import { useExceptions } from './use-exceptions.ts';
import { useInForceSince } from './use-in-force.ts';
import { useRuleCourse, useRules, useRuleStats, type Rule } from './use-rules.ts';

const Code = lazy(() => import('../parts/code.tsx'));

export function RulePage(): ReactNode {
  const env = useEnvironmentParam();
  const { rule: id } = useParams({ strict: false }) as { rule: string };
  const hasRules = useFeature('policies.rules');
  const active = useActive(env).data;
  const rules = useRules(env, active?.digest);
  const named = rules.data && ruleNamed(rules.data.rules, id);
  // A page under a former id says which id the rule has now.
  const rule = named?.id === id ? named : undefined;
  const calls = filterOfRule(id, rule?.formerly ?? []);
  return (
    <PolicyFrame title={id}>
      <div className="stack">
        <h2 className="mono">{visible(id)}</h2>
        {hasRules && (
          <Part what="the rule" query={rules} height={38}>
            {() =>
              rule === undefined ? (
                <Missing env={env} now={named?.id} />
              ) : (
                <p className="prose">{visible(rule.prose)}</p>
              )
            }
          </Part>
        )}
        <Precision env={env} id={id} />
        {rule !== undefined && <About env={env} rule={rule} />}
        {rule !== undefined && active?.deployment !== null && <InForce env={env} active={active} rule={rule} />}
      </div>
      <Hits env={env} id={id} calls={calls} />
      {rule !== undefined && <RuleText env={env} rule={rule} />}
      <LatestHits env={env} calls={calls} isKnown={!hasRules || isSettled(rules)} />
    </PolicyFrame>
  );
}

/** No rule has this id now: there is none, or it was renamed. */
function Missing({ env, now }: { readonly env: Environment; readonly now: string | undefined }): ReactNode {
  if (now === undefined) return <p className="notice amber">There is no rule with this name in force in {env}.</p>;
  return (
    <p className="notice">
      This rule was renamed:{' '}
      <Link to="/policies/$env/rules/$rule" params={{ env, rule: now }} className="link mono">
        {visible(now)}
      </Link>
    </p>
  );
}

const LATEST = 20;

interface LatestProps {
  readonly env: Environment;
  /** The filter for the calls of the rule. */
  readonly calls: string;
  /** Whether the former ids of the rule are known, which the filter contains. */
  readonly isKnown: boolean;
}

/** The newest calls in which the rule fired. A search that would take too long ends early, and is then continued on request. */
function LatestHits({ env, calls, isKnown }: LatestProps): ReactNode {
  const hits = useInfiniteQuery({
    queryKey: ['events', 'of-rule', env, calls],
    queryFn: ({ pageParam: cursor, signal }) => {
      const query = { rule: calls, environment: env, view: 'calls', limit: LATEST, cursor };
      return get<Paged<CallEvent>>('/v1/events', query, { signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    enabled: isKnown,
  });
  return (
    <Block title="Latest hits" what="the latest hits" query={hits} height={200}>
      {({ pages }) => {
        const events = pages.flatMap(({ data }) => data);
        const isEmpty = events.length === 0;
        if (isEmpty && !hits.hasNextPage) return <Empty>The rule has not fired yet.</Empty>;
        return (
          <>
            {!isEmpty && (
              <EventRows
                events={events}
                says={(event) => (
                  <>
                    {visible(event.app.name ?? event.app.id)} <span className="dim">{event.type}</span>
                  </>
                )}
              />
            )}
            {hits.hasNextPage && events.length < LATEST && (
              <FurtherBack
                at={pages.at(-1)?.searched_to ?? null}
                isEmpty={isEmpty}
                isLooking={hits.isFetchingNextPage}
                look={() => void hits.fetchNextPage()}
              />
            )}
          </>
        );
      }}
    </Block>
  );
}

/** The owner of the rule, its tests, and the exceptions that name it. */
function About({ env, rule }: { readonly env: Environment; readonly rule: Rule }): ReactNode {
  const exceptions = useExceptions(env).data?.filter(({ rules }) => rules.includes(rule.id)) ?? [];
  return (
    <p className="meta">
      {ruleWords(rule).join(' · ')}
      {exceptions.map(({ id, expires, path, line }) => (
        <span key={id}>
          {' · '}
          {path === null ? (
            visible(id)
          ) : (
            <Link
              to="/policies/$env/files/$"
              params={{ env, _splat: path }}
              hash={`L${line ?? 1}`}
              className="link mono"
            >
              {visible(id)}
            </Link>
          )}{' '}
          allows calls until <Time at={expires} as="exact" />
        </span>
      ))}
    </p>
  );
}

interface InForceProps {
  readonly env: Environment;
  readonly active: ActivePolicy | undefined;
  readonly rule: Rule;
}

const DAY_MS = 86_400_000;

/** For how long the rule has been active, and since which deployment. */
function InForce({ env, active, rule }: InForceProps): ReactNode {
  const found = useInForceSince(env, active, rule);
  if (found.data === undefined) return found.error === null ? <Skeleton height={18} /> : null;
  if (found.data === null) return null;
  const { number, since, orLonger } = found.data;
  const days = Math.floor((Date.now() - Date.parse(since)) / DAY_MS);
  const long = days === 0 ? 'less than a day' : counted(days, 'day');
  return (
    <p className="meta">
      In force {orLonger ? (days === 0 ? '' : `for ${long} or longer, `) : `for ${long}, `}
      since{' '}
      <Link to="/policies/$env/history" params={{ env }} className="link">
        deployment {number}
      </Link>
      {orLonger && ' or earlier'}
    </p>
  );
}

interface HitsProps {
  readonly env: Environment;
  readonly id: string;
  /** The filter for the calls of the rule. */
  readonly calls: string;
}

/** The hits of the rule in thirty equal parts of the last thirty days. */
function Hits({ env, id, calls }: HitsProps): ReactNode {
  const isKept = useFeature('policies.rule_stats');
  const course = useRuleCourse(env, id);
  const navigate = useNavigate();
  if (!isKept) return null;
  return (
    <Block title="Hits, 30 days" what="the hits over time" query={course} height={194}>
      {(found) => {
        if (found === null) return <Empty>Hits are only counted for active rules.</Empty>;
        const startMs = Date.parse(found.from);
        const at = (index: number): string => new Date(startMs + index * found.stepSeconds * 1000).toISOString();
        return (
          <Bars
            label={`Hits of ${id}`}
            buckets={found.hits.map((_, index) => at(index))}
            stepSeconds={found.stepSeconds}
            series={[{ key: 'hits', label: 'Hits', color: 'var(--accent)', values: found.hits }]}
            height={120}
            open={(from, to) =>
              void navigate({ to: '/events', search: { env, rule: calls, range: undefined, from, to } as never })
            }
          />
        );
      }}
    </Block>
  );
}

/** The share of marked hits that are right. As few hits are marked, it is shown as a confidence interval. */
function Precision({ env, id }: { readonly env: Parameters<typeof useRuleStats>[0]; readonly id: string }): ReactNode {
  const stats = useRuleStats(env);
  if (stats.isLoading) return <Skeleton height={19} />;
  const marks = stats.data?.find(({ rule }) => rule === id)?.marks;
  const all = (marks?.right ?? 0) + (marks?.wrong ?? 0);
  if (marks === undefined || marks === null || all === 0) return null;
  const [low, high] = wilson(marks.right, all);
  return (
    <p>
      {marks.right} of {counted(all, 'marked hit')} {marks.right === 1 ? 'is' : 'are'} right; of all hits, between{' '}
      {ratio(low)} and {ratio(high)} are right.
    </p>
  );
}

const Z = 1.96;

function wilson(good: number, all: number): readonly [number, number] {
  const share = good / all;
  const middle = (share + (Z * Z) / (2 * all)) / (1 + (Z * Z) / all);
  const width = (Z / (1 + (Z * Z) / all)) * Math.sqrt((share * (1 - share)) / all + (Z * Z) / (4 * all * all));
  return [Math.max(0, middle - width), Math.min(1, middle + width)];
}

function RuleText({ env, rule }: { readonly env: Parameters<typeof useRuleStats>[0]; readonly rule: Rule }): ReactNode {
  const bundle = useBundle(env);
  return (
    <Block
      title={
        <Link
          to="/policies/$env/files/$"
          params={{ env, _splat: rule.path }}
          hash={`L${rule.line}`}
          className="link mono"
        >
          <FilePath path={rule.path} line={rule.line} />
        </Link>
      }
      what="the file"
      query={bundle}
      height={160}
    >
      {({ files }) => {
        const lines = files
          .find(({ path }) => path === rule.path)
          ?.text.split('\n')
          .slice(rule.line - 1, rule.end_line);
        return lines === undefined ? (
          <Empty>The file is not in the bundle.</Empty>
        ) : (
          <Suspense fallback={<Skeleton height={160} />}>
            <Code text={lines.join('\n')} label={`Rule ${rule.id}`} firstLine={rule.line} />
          </Suspense>
        );
      }}
    </Block>
  );
}
