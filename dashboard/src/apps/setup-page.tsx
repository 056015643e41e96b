/** The setup guide from a name to the first event: key, call, event, and an active rule. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import { get, send } from '../api/client.ts';
import { Failed, Skeleton } from '../parts/block.tsx';
import { useApps, useFeature, useMe } from '../api/queries.ts';
import {
  ENVIRONMENTS,
  type App,
  type AppReception,
  type CallEvent,
  type Environment,
  type Page as Paged,
} from '../api/types.ts';
import { Problem } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { clock, counted, duration } from '../parts/format.ts';
import { OutcomeBadge, outcomeOf } from '../parts/outcome.tsx';
import { CopyButton, Field, Segments } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { useLive } from '../events/live.tsx';
import { Page, Trail } from '../shell/page.tsx';
import { inEnvironment } from '../shell/page-environment.ts';
import { AskBeforeLeaving, Secret } from '../parts/secret.tsx';
import { NoSuchApp } from './no-such-app.tsx';
import { snippet, SNIPPET_KINDS, type Style, type Way } from './snippets.ts';

const RULE_TEXT = 'Write to jane.doe@example.com that the order is late';

export function SetupPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { id: string };
  const apps = useApps();
  const app = apps.data?.find((each) => each.id === id);
  const [made, setMade] = useState<Made | null>(null);
  const [isStored, setStored] = useState(false);
  // The page stays mounted when another app is opened: the key of this app is neither shown there nor kept.
  const secret = made?.app === id ? made.secret : null;
  useEffect(() => () => setMade((before) => (before?.app === id ? null : before)), [id]);
  const title = app === undefined ? 'New app' : `Set up ${visible(app.name)}`;
  const isMissing = id !== 'new' && app === undefined;
  const isUnknown = isMissing && apps.data !== undefined;
  const { refetch } = apps;
  useEffect(() => {
    // The list may be older than the app.
    if (isUnknown) void refetch();
  }, [isUnknown, id, refetch]);
  // A key that was just created is shown in any case.
  if (isMissing && secret === null) {
    return (
      <Page title="Set up">
        {apps.data !== undefined ? (
          <NoSuchApp />
        ) : apps.error === null ? (
          <Skeleton height={480} />
        ) : (
          <Failed what="the app" error={apps.error} again={() => void refetch()} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={title}
      heading={
        <Trail to="/apps" above="Apps">
          {title}
        </Trail>
      }
    >
      <ol className="steps">
        <li>
          <h2>{app === undefined ? 'App and key' : 'Key'}</h2>
          <KeyStep
            app={app}
            secret={secret}
            made={(next) => {
              setMade(next);
              setStored(false);
            }}
            isStored={isStored}
            stored={setStored}
          />
        </li>
        <li>
          <h2>Call</h2>
          <CallStep keyText={secret ?? '$WEIR_KEY'} text="Say hello" copied={() => setStored(true)} />
        </li>
        <li>
          <h2>Event</h2>
          {app === undefined ? (
            <p className="dim">The first event appears here immediately.</p>
          ) : (
            <EventStep app={app} />
          )}
        </li>
        <li>
          <h2>See a rule in action</h2>
          <RuleStep keyText={secret ?? '$WEIR_KEY'} copied={() => setStored(true)} />
        </li>
      </ol>
      {app !== undefined && (
        <p className="dim">
          More keys, limits, and the name of the app are in{' '}
          <Link to="/apps/$id/settings" params={{ id: app.id }} className="link">
            its settings
          </Link>
          .
        </p>
      )}
    </Page>
  );
}

function RuleStep({ keyText, copied }: Omit<CallStepProps, 'text'>): ReactNode {
  const call = { way: 'REST', provider: 'openai', style: 'openai', baseUrl: location.origin } as const;
  return (
    <>
      <p className="prose">
        This call contains a made-up e-mail address. The provider receives the address masked, and the event names the
        rule that masked it.
      </p>
      <CopyButton text={snippet({ ...call, key: keyText, text: RULE_TEXT })} copied={copied}>
        Copy a call with a made-up address
      </CopyButton>
    </>
  );
}

/** The key that was created for an app on this page. */
interface Made {
  readonly app: string;
  readonly secret: string;
}

function withApp(known: readonly App[] | undefined, app: App): readonly App[] | undefined {
  return known === undefined || known.some(({ id }) => id === app.id) ? known : [...known, app];
}

interface KeyStepProps {
  readonly app: App | undefined;
  readonly secret: string | null;
  readonly made: (made: Made | null) => void;
  readonly isStored: boolean;
  readonly stored: (isStored: boolean) => void;
}

function KeyStep({ app, secret, made, isStored, stored }: KeyStepProps): ReactNode {
  const [appName, setAppName] = useState('');
  const [name, setName] = useState('');
  const [environment, setEnvironment] = useState<Environment>('development');
  const sending = useSending();
  const client = useQueryClient();
  const navigate = useNavigate();
  const asking = <AskBeforeLeaving word="key" isAtRisk={sending.isSending || (secret !== null && !isStored)} />;
  if (secret !== null) {
    return (
      <>
        <Secret secret={secret} label="The key" variable="WEIR_KEY" stored={stored} forget={() => made(null)} />
        {asking}
      </>
    );
  }
  const create = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      const target = app ?? (await send<App>('POST', '/v1/apps', { name: appName }));
      if (app === undefined) {
        await client.invalidateQueries({ queryKey: ['apps'] });
        // The guide goes on with the new app, even if the list could not be loaded again.
        client.setQueryData<readonly App[]>(['apps'], (known) => withApp(known, target));
        await navigate({ to: '/apps/$id/setup', params: { id: target.id }, replace: true, ignoreBlocker: true });
      }
      const keyName = name.trim() === '' ? `${target.name}-${environment}`.slice(0, 100) : name;
      const created = await send<{ readonly secret: string }>('POST', `/v1/apps/${target.id}/keys`, {
        name: keyName,
        environment,
      });
      made({ app: target.id, secret: created.secret });
      void client.invalidateQueries({ queryKey: ['keys'] });
    });
  };
  return (
    <form className="stack form" onSubmit={create}>
      {asking}
      {app === undefined && (
        <Field label="Name of the app" problem={sending.problemOf('name')}>
          <input
            className="input"
            required
            maxLength={100}
            placeholder="checkout"
            value={appName}
            onChange={(event) => setAppName(event.target.value)}
          />
        </Field>
      )}
      <Field label="Name of the key">
        <input
          className="input"
          maxLength={100}
          placeholder={`${app?.name ?? (appName === '' ? 'checkout' : appName)}-${environment}`}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Segments
        label="Environment"
        value={environment}
        options={[...ENVIRONMENTS].reverse().map((each) => [each, each] as const)}
        onChange={setEnvironment}
      />
      {environment === 'production' && <p className="hint">Live key: production rules apply.</p>}
      <Problem of={sending} />
      <div className="line">
        <button type="submit" className="button primary" disabled={sending.isSending}>
          {app === undefined ? 'Create app and key' : 'Create key'}
        </button>
      </div>
    </form>
  );
}

interface CallStepProps {
  readonly keyText: string;
  readonly text: string;
  /** Called after the call was copied, with the key in it. */
  readonly copied: () => void;
}

function CallStep({ keyText, text, copied }: CallStepProps): ReactNode {
  const [way, setWay] = useState<Way>('curl');
  const server = useMe().data?.server;
  const providers = server?.providers ?? [];
  const [provider, setProvider] = useState('openai');
  const style: Style = providers.find(({ id }) => id === provider)?.style ?? 'openai';
  const code = snippet({ way, provider, style, baseUrl: location.origin, key: keyText, text });
  const isWithKey = !keyText.startsWith('$');
  return (
    <div className="stack">
      <div className="line">
        <Segments
          label="Client"
          value={way}
          options={SNIPPET_KINDS.map((each) => [each, each] as const)}
          onChange={setWay}
        />
        {way !== 'REST' && (
          <select
            className="input small"
            aria-label="Provider"
            value={provider}
            onChange={(event) => setProvider(event.target.value)}
          >
            {(providers.length === 0 ? [{ id: 'openai' }] : providers).map(({ id }) => (
              <option key={id}>{id}</option>
            ))}
          </select>
        )}
        <span className="push">
          <CopyButton text={code} copied={copied}>
            Copy
          </CopyButton>
        </span>
      </div>
      <pre className="snippet" tabIndex={0} aria-label={isWithKey ? 'Call, contains your key' : 'Call'}>
        {code}
      </pre>
      {!isWithKey && <p className="hint">$WEIR_KEY stands for the key.</p>}
    </div>
  );
}

const PATIENCE_S = 60;

function EventStep({ app }: { readonly app: App }): ReactNode {
  const waited = useSeconds();
  const load = (): Promise<boolean> => before.refetch().then(({ isSuccess }) => isSuccess);
  const live = useLive(true, { query: { app: app.id }, key: app.id, neededOf: undefined }, { all: load, newest: load });
  const before = useQuery({
    queryKey: ['events', 'first', app.id],
    queryFn: () => get<Paged<CallEvent>>('/v1/events', { app: app.id, view: 'calls', limit: 1 }, { background: true }),
    // Polls the list while the event stream is not connected.
    refetchInterval: live.state === 'live' ? false : 2_000,
  });
  const event =
    live.rows.find(({ type }) => type === 'ai.request' || type === 'agent.tool_call') ??
    live.rows[0] ??
    before.data?.data[0];
  const canTell = useFeature('apps.reception');
  const reception = useQuery({
    queryKey: ['reception', app.id],
    queryFn: () => get<AppReception>(`/v1/apps/${app.id}/reception`, {}, { background: true }),
    enabled: canTell && event === undefined && waited >= PATIENCE_S,
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
        <p className="line">
          <span className="pulse" aria-hidden="true" />
          <span>
            Waiting for the first event of {visible(app.name)}…{' '}
            <span className="dim tab-nums" aria-hidden="true">
              {Math.floor(waited / 60)}:{String(waited % 60).padStart(2, '0')}
            </span>
          </span>
        </p>
      )}
      {event === undefined && waited >= PATIENCE_S && (
        <div className="notice">
          <p>No event yet.</p>
          {reception?.refused.map(({ status, type, count: times }) => (
            <p key={`${status}${type}`}>
              {counted(times, 'call')} {times === 1 ? 'was' : 'were'} refused with {status} ({type}) in the last
              minutes.
            </p>
          ))}
          <p className="dim">Check the base URL, the header x-service-key, and that the key belongs to this app.</p>
        </div>
      )}
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
