/** The step of the setup guide that waits for the first event of an app and shows it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { get } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import type { App, AppReception, CallEvent, Page } from '../api/types.ts';
import { useLive } from '../events/live.tsx';
import { clock, counted, duration } from '../parts/format.ts';
import { OutcomeBadge, outcomeOf } from '../parts/outcome.tsx';
import { visible } from '../parts/text.tsx';
import { inEnvironment } from '../shell/page-environment.ts';

const PATIENCE_S = 60;

export function EventStep({ app }: { readonly app: App }): ReactNode {
  const waitedS = useSeconds();
  const event = useFirstEvent(app);
  const canTell = useFeature('apps.reception');
  const isLate = event === undefined && waitedS >= PATIENCE_S;
  const reception = useQuery({
    queryKey: ['reception', app.id],
    queryFn: () => get<AppReception>(`/v1/apps/${app.id}/reception`, {}, { background: true }),
    enabled: canTell && isLate,
    refetchInterval: 5_000,
  }).data;
  return (
    <div aria-live="polite" className="stack first-event">
      {event !== undefined ? (
        <p className="line">
          <OutcomeBadge outcome={outcomeOf(event)} />
          <span>
            {event.type}, {duration(event.latency_ms.weir)}, {clock(event.received_at)}
          </span>
          <Link
            to="/events/$id"
            params={{ id: event.id }}
            search={inEnvironment(event.environment)}
            className="button primary"
          >
            Open event
          </Link>
        </p>
      ) : (
        <Waiting app={app} waitedS={waitedS} />
      )}
      {isLate && <NoEventYet reception={reception} />}
    </div>
  );
}

/** The first event of an app; undefined: none was recorded yet. */
function useFirstEvent(app: App) {
  const load = (): Promise<boolean> => before.refetch().then(({ isSuccess }) => isSuccess);
  const live = useLive(true, { query: { app: app.id }, key: app.id, neededOf: undefined }, { all: load, newest: load });
  const before = useQuery({
    queryKey: ['events', 'first', app.id],
    queryFn: () => get<Page<CallEvent>>('/v1/events', { app: app.id, view: 'calls', limit: 1 }, { background: true }),
    // Polls the list while the event stream is not connected.
    refetchInterval: live.state === 'live' ? false : 2_000,
  });
  return (
    live.rows.find(({ type }) => type === 'ai.request' || type === 'agent.tool_call') ??
    live.rows[0] ??
    before.data?.data[0]
  );
}

interface WaitingProps {
  readonly app: App;
  readonly waitedS: number;
}

function Waiting({ app, waitedS }: WaitingProps): ReactNode {
  return (
    <p className="line">
      <span className="pulse" aria-hidden="true" />
      <span>
        Waiting for the first event of {visible(app.name)}…{' '}
        <span className="dim tab-nums" aria-hidden="true">
          {Math.floor(waitedS / 60)}:{String(waitedS % 60).padStart(2, '0')}
        </span>
      </span>
    </p>
  );
}

function NoEventYet({ reception }: { readonly reception: AppReception | undefined }): ReactNode {
  return (
    <div className="notice">
      <p>No event yet.</p>
      {reception?.refused.map(({ status, type, count: times }) => (
        <p key={`${status}${type}`}>
          {counted(times, 'call')} {times === 1 ? 'was' : 'were'} refused with {status} ({type}) in the last minutes.
        </p>
      ))}
      <p className="dim">Check the base URL, the header x-service-key, and that the key belongs to this app.</p>
    </div>
  );
}

function useSeconds(): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => setSeconds((value) => value + 1), 1_000);
    return () => window.clearInterval(timer);
  }, []);
  return seconds;
}
