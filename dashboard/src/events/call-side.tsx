import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CallEvent } from '../api/types.ts';
import { count, duration, money } from '../parts/format.ts';
import { Id, None, Time } from '../parts/small.tsx';
import { Foreign } from '../parts/text.tsx';
import { useJudged } from '../policies/use-rules.ts';

interface SideProps {
  readonly event: CallEvent;
  readonly answer: CallEvent | undefined;
}

export function CallSide({ event, answer }: SideProps): ReactNode {
  const paid = answer ?? event;
  const { usage } = paid;
  const { deployment } = useJudged(event);
  const by = (change: object): never => ((before: object) => ({ ...before, ...change })) as never;
  return (
    <>
      <Group title="Call">
        <Fact name="Type">{event.type}</Fact>
        <Fact name="Time">
          <Time at={event.received_at} as="exact" />
          <span className="dim">
            , <Time at={event.received_at} />
          </span>
        </Fact>
        <Fact name="App">
          <Link to="/events" search={by({ app: event.app.id })} className="link">
            <Foreign text={event.app.name ?? event.app.id} />
          </Link>
        </Fact>
        <Fact name="Environment">
          {event.environment}
          {event.declared_environment !== event.environment && (
            <span className="dim"> (the caller said {event.declared_environment})</span>
          )}
        </Fact>
        <Fact name="Model">
          {event.model === null ? <None /> : <Foreign text={event.model} />}
          {event.provider !== null && <span className="dim"> · {event.provider}</span>}
        </Fact>
        {event.session_id !== null && (
          <Fact name="Session">
            <Link
              to="/sessions/$id"
              params={{ id: event.session_id }}
              search={{ app: event.app.id } as never}
              className="link"
            >
              <Foreign text={event.session_id} />
            </Link>
          </Fact>
        )}
        <Fact name="Came by">{event.source === 'proxy' ? 'proxy' : 'REST'}</Fact>
      </Group>
      <Group title="Time" above={<TimeSplit latency={paid.latency_ms} />}>
        <Fact name="Weir">{duration(paid.latency_ms.weir)}</Fact>
        <Fact name="Provider">{duration(paid.latency_ms.provider)}</Fact>
        <Fact name="Total">{duration(paid.latency_ms.total)}</Fact>
      </Group>
      <Group title="Cost">
        <Fact name="Cost">
          <span className="tab-nums">{paid.cost_nano_usd === null ? 'no price' : money(paid.cost_nano_usd, 5)}</span>
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
        {paid.price_version !== null && <Fact name="Prices">{paid.price_version}</Fact>}
      </Group>
      <Metadata event={event} by={by} />
      <Group title="Policy">
        {event.policy !== null && (
          <Fact name={event.policy.id}>
            {event.policy.digest === null ? <None /> : <Id id={event.policy.digest} tail={0} />}
            {deployment !== null && <span className="dim">deployment {deployment}</span>}
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
      <Group title="Ids">
        <Fact name="Event">
          <Id id={event.event_id} />
        </Fact>
        {event.request_id !== null && (
          <Fact name="Request">
            <Id id={event.request_id} />
          </Fact>
        )}
        <Fact name="Key">
          <Id id={event.key_id} head={16} />
        </Fact>
      </Group>
    </>
  );
}

/** Whose time it was: Weir's in the colour of the product, the provider's grey. The numbers below say it. */
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

/** A list of pairs and no object: a key may have any name. */
function Metadata({ event, by }: { readonly event: CallEvent; readonly by: (change: object) => never }): ReactNode {
  const pairs = Object.entries(event.metadata ?? {});
  if (pairs.length === 0) return null;
  return (
    <Group title="Metadata">
      {pairs.map(([key, value]) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return (
          <Fact key={key} name={key}>
            <Foreign text={text} />{' '}
            <Link
              to="/events"
              search={by({ [`metadata.${key}`]: text })}
              className="link meta"
              aria-label={`filter by ${key} ${text}`}
            >
              filter
            </Link>
          </Fact>
        );
      })}
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
        <Foreign text={name} cut />
      </dt>
      <dd>{children}</dd>
    </>
  );
}
