import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import type { BudgetState, CallEvent, Data } from '../api/types.ts';
import { amount, count, duration, money, ratio } from '../parts/format.ts';
import { OutcomeBadge, outcomeOf } from '../parts/outcome.tsx';
import { Id, None, Time } from '../parts/small.tsx';
import { UserText, visible } from '../parts/text.tsx';
import { useJudged } from '../policies/use-rules.ts';
import { inEnvironment, linkedEnvironment } from '../shell/page-environment.ts';
import { RANGES } from '../shell/ranges.ts';
import type { Search } from '../shell/view.ts';
import { searchLike } from './call-links.ts';
import { isFilter, leavesOf } from './metadata-leaves.ts';
import { searchOfSession } from './neighbours.ts';
import { turnWords } from './turn-words.ts';
import type { Counted } from './use-count.ts';

interface SideProps {
  readonly event: CallEvent;
  /** All events of the call as one record: a failed call also takes time, and may be charged. */
  readonly call: CallEvent;
  /** The answers and errors of the call; undefined if they could not be loaded, so that the outcome is unknown. */
  readonly ends: readonly CallEvent[] | undefined;
}

export function CallSide({ event, call, ends }: SideProps): ReactNode {
  const by = (change: Search): never => searchLike(event, change, RANGES) as never;
  return (
    <>
      <Origin event={event} call={call} ends={ends} by={by} />
      <Group title="Time" above={<TimeSplit latency={call.latency_ms} />}>
        <Fact name="Weir">{duration(call.latency_ms.weir)}</Fact>
        <Fact name="Provider">{duration(call.latency_ms.provider)}</Fact>
        <Fact name="Total">{duration(call.latency_ms.total)}</Fact>
      </Group>
      <Charge call={call} />
      <Metadata event={event} by={by} />
      <Policy event={event} />
      <Ids event={event} />
      {/* The budgets are last, because few calls have them and they load late: so the facts above do not move. */}
      <BudgetsHit event={event} ends={ends} />
    </>
  );
}

interface OriginProps extends SideProps {
  /** The parameters of a link to calls with the same value. */
  readonly by: (change: Search) => never;
}

/** The outcome of the call, and where and when it was made. */
function Origin({ event, call, ends, by }: OriginProps): ReactNode {
  return (
    <Group title="Call">
      <Fact name="Outcome">{ends === undefined ? <None /> : <OutcomeBadge outcome={outcomeOf(call)} />}</Fact>
      <Fact name="Type">{event.type}</Fact>
      <Fact name="Time">
        <Time at={event.received_at} as="exact" />
        <span className="dim">
          , <Time at={event.received_at} />
        </span>
      </Fact>
      <Fact name="App">
        <Link to="/events" search={by({ app: event.app.id })} className="link">
          <UserText text={event.app.name ?? event.app.id} />
        </Link>
      </Fact>
      <Fact name="Environment">
        {event.environment}
        {event.declared_environment !== event.environment && (
          <span className="dim"> (the caller specified {event.declared_environment})</span>
        )}
      </Fact>
      <Fact name="Model">
        {event.model === null ? <None /> : <UserText text={event.model} />}
        {event.provider !== null && (
          <span className="dim">
            {' · '}
            <UserText text={event.provider} />
          </span>
        )}
      </Fact>
      {event.session_id !== null && (
        <Fact name="Session">
          <Link
            to="/sessions/$id"
            params={{ id: event.session_id }}
            search={searchOfSession(event.app.id, event.environment)({}) as never}
            className="link"
          >
            <UserText text={event.session_id} />
          </Link>
        </Fact>
      )}
      {event.session_id !== null && <Turn event={event} session={event.session_id} />}
      <Fact name="Source">{CAME_BY[event.source]}</Fact>
    </Group>
  );
}

/** The cost and the tokens of the call. */
function Charge({ call }: Pick<SideProps, 'call'>): ReactNode {
  const { usage } = call;
  return (
    <Group title="Cost">
      <Fact name="Cost">
        <span className="tab-nums">
          {call.cost_nano_usd === null ? usage === null ? <None /> : 'no price' : money(call.cost_nano_usd, 5)}
        </span>
        {usage?.estimated === true && <span className="dim"> estimated</span>}
      </Fact>
      {usage !== null && (
        <Fact name="Tokens">
          <span className="tab-nums">
            {count(usage.prompt_tokens ?? 0)} in
            {usage.cache_read_tokens === null ? '' : ` (${count(usage.cache_read_tokens)} cached)`},{' '}
            {count(usage.completion_tokens ?? 0)} out
          </span>
        </Fact>
      )}
      {call.price_version !== null && <Fact name="Prices">{call.price_version}</Fact>}
    </Group>
  );
}

/** The policy and the detectors that judged the call. */
function Policy({ event }: Pick<SideProps, 'event'>): ReactNode {
  const { deployment } = useJudged(event);
  return (
    <Group title="Policy">
      {event.policy !== null && (
        <Fact name={event.policy.id}>
          {event.policy.digest === null ? <None /> : <Id id={event.policy.digest} tail={0} />}
        </Fact>
      )}
      {deployment !== null && (
        <Fact name="Deployment">
          <Link
            to="/policies/$env/files"
            params={{ env: event.environment }}
            search={{ env: linkedEnvironment(event.environment), deployment: String(deployment) } as never}
            className="link"
          >
            {deployment}, its files
          </Link>
        </Fact>
      )}
      {event.detectors.map(({ key, version, status }) => (
        <Fact key={key} name={key}>
          <span className={status === 'scanned' ? '' : 'amber'}>
            {version} {status}
          </span>
        </Fact>
      ))}
    </Group>
  );
}

function Ids({ event }: Pick<SideProps, 'event'>): ReactNode {
  return (
    <Group title="Ids">
      <Fact name="Event">
        <Id id={event.event_id} />
      </Fact>
      {event.request_id !== null && (
        <Fact name="Request">
          <Id id={event.request_id} />
        </Fact>
      )}
      {event.trace_id !== null && (
        <Fact name="Trace">
          <Id id={event.trace_id} />
        </Fact>
      )}
      <Fact name="Key">
        <Id id={event.key_id} head={16} />
      </Fact>
    </Group>
  );
}

const CAME_BY = { proxy: 'proxy', rest: 'REST', calls: 'the SDK' } as const;

/** The position of the call in its session. */
function Turn({ event, session }: { readonly event: CallEvent; readonly session: string }): ReactNode {
  const hasCount = useFeature('events.count');
  const of = { session, app: event.app.id, environment: event.environment, type: 'ai.request' };
  const words = useQuery({
    queryKey: ['events', 'turn', event.id],
    queryFn: async ({ signal }) => {
      // One millisecond later, because `to` is exclusive and this call is to be counted.
      const to = new Date(Date.parse(event.received_at) + 1).toISOString();
      const ask = (query: object) => get<Counted>('/v1/events/count', { ...of, ...query }, { signal });
      const [upTo, all] = await Promise.all([ask({ to }), ask({})]);
      return turnWords(upTo, all) ?? null;
    },
    enabled: hasCount,
  }).data;
  if (!hasCount) return null;
  return <Fact name="Turn">{typeof words === 'string' ? <span className="tab-nums">{words}</span> : <None />}</Fact>;
}

/** The service accepts twenty events in one request. */
const MOST_CHARGED = 19;

/** The budgets charged for the call: the charged amount, and their current use. */
function BudgetsHit({ event, ends = [] }: Pick<SideProps, 'event' | 'ends'>): ReactNode {
  const ids = [event.id, ...ends.slice(-MOST_CHARGED).map(({ id }) => id)];
  const budgets = useQuery({
    queryKey: ['budgets', 'of-events', ids],
    queryFn: ({ signal }) => get<Data<BudgetState>>('/v1/budgets', { event: ids.join(','), past: true }, { signal }),
  }).data?.data;
  if (budgets === undefined || budgets.length === 0) return null;
  return (
    <Group title="Budgets charged">
      {budgets.map((budget) => (
        <Fact key={budget.period_id} name={budget.budget}>
          <Link
            to="/budgets/$env/$id"
            params={{ env: budget.environment, id: budget.budget }}
            search={inEnvironment(budget.environment)}
            className="link tab-nums"
          >
            {amount(budget.charged ?? '0', budget.unit)}
          </Link>
          <span className="dim tab-nums">
            {' '}
            of {amount(budget.limit, budget.unit)}; {ratio(budget.used_ratio)} used now
          </span>
        </Fact>
      ))}
    </Group>
  );
}

/** The shares of Weir (accent colour) and of the provider in the latency. The numbers below show the same. */
function TimeSplit({ latency: { weir, provider } }: { readonly latency: CallEvent['latency_ms'] }): ReactNode {
  if (weir === null || provider === null || weir + provider === 0) return null;
  const own = (100 * weir) / (weir + provider);
  return (
    <svg
      className="time-split"
      width="100%"
      height="6"
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect width="100" height="6" fill="var(--allow-chart)" />
      <rect width={Math.max(1, own)} height="6" fill="var(--accent)" />
    </svg>
  );
}

/** The single values, each with a link to the calls that have it, unless no filter finds it. */
function Metadata({ event, by }: { readonly event: CallEvent; readonly by: (change: Search) => never }): ReactNode {
  const leaves = leavesOf(event.metadata);
  if (leaves.length === 0) return null;
  return (
    <Group title="Metadata">
      {leaves.map(({ path, values }, index) => (
        <Fact key={index} name={path}>
          {values.map((value, nth) => (
            <div key={nth}>
              <UserText text={value.text} />{' '}
              {isFilter(path, value) && (
                <Link
                  to="/events"
                  search={by({ [`metadata.${path}`]: value.text })}
                  className="link meta"
                  aria-label={`filter by ${visible(path)} ${visible(value.text)}`}
                >
                  filter
                </Link>
              )}
            </div>
          ))}
        </Fact>
      ))}
    </Group>
  );
}

interface GroupProps {
  readonly title: string;
  readonly above?: ReactNode;
  readonly children: ReactNode;
}

function Group({ title, above, children }: GroupProps): ReactNode {
  return (
    <section>
      <h2>{title}</h2>
      {above}
      <dl className="facts-list">{children}</dl>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="cut">
        <UserText text={name} cut />
      </dt>
      <dd>{children}</dd>
    </>
  );
}
