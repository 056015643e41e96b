/** One conversation, in order: who called what, and what came of it. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import type { CallEvent, Page as Paged } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { clock, count, duration, money } from '../parts/format.ts';
import { OutcomeBadge, outcomeOf, strongestFirst } from '../parts/outcome.tsx';
import { Time } from '../parts/small.tsx';
import { Foreign, visible } from '../parts/text.tsx';
import { Page } from '../shell/page.tsx';
import { useSearchParams } from '../shell/view.ts';

const GAP_MS = 60_000;
const MAX_EVENTS = 200;

export function SessionPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { id: string };
  const { app } = useSearchParams();
  const events = useQuery({
    queryKey: ['events', 'of-session', id, app],
    queryFn: () => get<Paged<CallEvent>>('/v1/events', { session: id, app, limit: MAX_EVENTS }),
  });
  return (
    <Page title={`Session ${id}`}>
      <Block what="the session" query={events} height={320}>
        {({ data, next_cursor: older }) => <Timeline events={[...data].reverse()} isCut={older !== null} />}
      </Block>
    </Page>
  );
}

function Timeline({ events, isCut }: { readonly events: readonly CallEvent[]; readonly isCut: boolean }): ReactNode {
  const shown = events.filter(({ type }) => type !== 'policy.violation');
  const [first, last] = [shown[0], shown.at(-1)];
  if (first === undefined || last === undefined) return <Empty>There is no call of this session.</Empty>;
  const cost = shown.reduce((total, { cost_nano_usd: nano }) => total + BigInt(nano ?? 0), 0n);
  const isPriced = shown.some(({ cost_nano_usd: nano }) => nano !== null);
  const tokens = shown.reduce(
    (total, { usage }) => total + (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0),
    0,
  );
  return (
    <div className="stack">
      <p className="meta">
        <Foreign text={first.app.name ?? ''} /> · {first.environment} · <Time at={first.received_at} as="table" /> to{' '}
        <Time at={last.received_at} as="table" /> · {count(tokens)} tokens · {isPriced ? money(cost, 5) : 'no price'}
      </p>
      {isCut && <p className="notice">The newest {MAX_EVENTS} events of this session.</p>}
      <ol className="timeline">
        {shown.map((event, index) => {
          const before = shown[index - 1];
          const gap = before === undefined ? 0 : Date.parse(event.received_at) - Date.parse(before.received_at);
          return (
            <li key={event.id} className={event.parent_id === null ? '' : 'inner'}>
              {gap > GAP_MS && <p className="meta">{Math.round(gap / 60_000)} min later</p>}
              <p className="timeline-step">
                <time className="meta tab-nums" dateTime={event.received_at}>
                  {clock(event.received_at)}
                </time>
                <Link
                  to="/events/$id"
                  params={{ id: event.id }}
                  search={{ app: event.app.id } as never}
                  className="link cut"
                >
                  {stepOf(event)}
                </Link>
                <OutcomeBadge outcome={outcomeOf(event)} />
                <code className="mono cut">{visible(strongestFirst(event.violations)[0]?.rule ?? '')}</code>
                <span className="meta num">
                  {event.latency_ms.total === null ? '' : `${duration(event.latency_ms.total)} `}
                  {event.cost_nano_usd === null ? '' : money(event.cost_nano_usd, 5)}
                </span>
              </p>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function stepOf({ type, model, payload }: CallEvent): string {
  if (type === 'agent.tool_call') {
    const tool = (payload as { readonly tool?: unknown } | null)?.tool;
    return `${typeof tool === 'string' ? visible(tool) : 'tool'}(…)`;
  }
  const name = model === null ? 'model' : visible(model);
  return type === 'ai.request' ? `Call of ${name}` : type === 'ai.response' ? `Answer of ${name}` : type;
}
