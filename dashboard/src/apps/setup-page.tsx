/** The setup guide from a name to the first event: key, call, event, and an active rule. */
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { Failed, Skeleton } from '../parts/block.tsx';
import { useApps, useMe } from '../api/queries.ts';
import type { App } from '../api/types.ts';
import { CopyButton, Segments } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { Page, Trail } from '../shell/page.tsx';
import { EventStep } from './event-step.tsx';
import { KeyStep, type Made } from './key-step.tsx';
import { NoSuchApp } from './no-such-app.tsx';
import { snippet, SNIPPET_KINDS, type Style, type Way } from './snippets.ts';

const RULE_TEXT = 'Write to jane.doe@example.com that the order is late';

export function SetupPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { id: string };
  const apps = useApps();
  const app = apps.data?.find((each) => each.id === id);
  const key = useMadeKey(id);
  const title = app === undefined ? 'New app' : `Set up ${visible(app.name)}`;
  const isMissing = id !== 'new' && app === undefined;
  const isUnknown = isMissing && apps.data !== undefined;
  const { refetch } = apps;
  useEffect(() => {
    // The list may be older than the app.
    if (isUnknown) void refetch();
  }, [isUnknown, id, refetch]);
  // A key that was just created is shown in any case.
  if (isMissing && key.secret === null) {
    return (
      <Page title="Set up">
        <MissingApp apps={apps} />
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
      <Steps app={app} madeKey={key} />
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

/** The key that was created for an app on this page. */
function useMadeKey(id: string) {
  const [made, setMade] = useState<Made | null>(null);
  const [isStored, setStored] = useState(false);
  // The page stays mounted when another app is opened: the key of this app is neither shown there nor kept.
  const secret = made?.app === id ? made.secret : null;
  useEffect(() => () => setMade((before) => (before?.app === id ? null : before)), [id]);
  const keep = (next: Made | null): void => {
    setMade(next);
    setStored(false);
  };
  return { secret, keep, isStored, setStored };
}

/** The app is not in the loaded list, or the list could not be loaded yet. */
function MissingApp({ apps }: { readonly apps: ReturnType<typeof useApps> }): ReactNode {
  const { data, error, refetch } = apps;
  if (data !== undefined) return <NoSuchApp />;
  if (error === null) return <Skeleton height={480} />;
  return <Failed what="the app" error={error} again={() => void refetch()} />;
}

interface StepsProps {
  readonly app: App | undefined;
  readonly madeKey: ReturnType<typeof useMadeKey>;
}

function Steps({ app, madeKey }: StepsProps): ReactNode {
  const { secret, keep, isStored, setStored } = madeKey;
  const keyText = secret ?? '$WEIR_KEY';
  return (
    <ol className="steps">
      <li>
        <h2>{app === undefined ? 'App and key' : 'Key'}</h2>
        <KeyStep app={app} secret={secret} made={keep} isStored={isStored} stored={setStored} />
      </li>
      <li>
        <h2>Call</h2>
        <CallStep keyText={keyText} text="Say hello" copied={() => setStored(true)} />
      </li>
      <li>
        <h2>Event</h2>
        {app === undefined ? <p className="dim">The first event appears here immediately.</p> : <EventStep app={app} />}
      </li>
      <li>
        <h2>See a rule in action</h2>
        <RuleStep keyText={keyText} copied={() => setStored(true)} />
      </li>
    </ol>
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
