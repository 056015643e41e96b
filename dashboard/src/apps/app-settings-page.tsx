/** The page of an app: its keys, its limits if the service allows setting them, renaming and archiving. */
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Fragment, useState, type FormEvent, type ReactNode } from 'react';
import { send } from '../api/client.ts';
import { useApps, useFeature } from '../api/queries.ts';
import type { App } from '../api/types.ts';
import { Block } from '../parts/block.tsx';
import Dialog from '../parts/dialog.tsx';
import { FormEnd, TypedName } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { HistoryLink } from '../parts/history-link.tsx';
import { Field, Id } from '../parts/small.tsx';
import { isTypedName, visible } from '../parts/visible.ts';
import { Page, Trail } from '../shell/page.tsx';
import { Keys } from './keys.tsx';
import { Limits } from './limits.tsx';
import { NoSuchApp } from './no-such-app.tsx';

const TABS = { keys: 'Keys', limits: 'Limits', danger: 'Rename or archive' } as const;
type Tab = keyof typeof TABS;

export function AppSettingsPage(): ReactNode {
  const { id, tab: wanted } = useParams({ strict: false }) as { id: string; tab?: string };
  const apps = useApps();
  const hasLimits = useFeature('apps.limits');
  const tabs = (Object.keys(TABS) as Tab[]).filter((each) => each !== 'limits' || hasLimits);
  const tab = tabs.find((each) => each === wanted) ?? 'keys';
  const app = apps.data?.find((each) => each.id === id);
  const title = app === undefined ? 'App' : visible(app.name);
  return (
    <Page
      title={title}
      heading={
        <Trail to="/apps" above="Apps">
          {title}
        </Trail>
      }
    >
      <Block what="the app" query={apps} height={200}>
        {() =>
          app === undefined ? (
            <NoSuchApp />
          ) : (
            <div className="stack wide">
              <div className="line">
                <Id id={app.id} head={36} />
                <Link
                  to="/events"
                  search={((before: object) => ({ ...before, app: app.id })) as never}
                  className="button push"
                >
                  Events
                </Link>
                <Link to="/apps/$id/setup" params={{ id: app.id }} className="button">
                  Setup guide
                </Link>
                <HistoryLink of={[app.id]} />
              </div>
              <nav className="tabs" aria-label="Settings of the app">
                {tabs.map((each) => (
                  <Link
                    key={each}
                    to="/apps/$id/settings/$tab"
                    params={{ id, tab: each }}
                    aria-current={tab === each ? 'page' : undefined}
                  >
                    {TABS[each]}
                  </Link>
                ))}
              </nav>
              {/* The page stays mounted when another app is opened: a name or a dialog of this app must not stay with it. */}
              <Fragment key={app.id}>
                {tab === 'keys' ? <Keys app={app} /> : tab === 'limits' ? <Limits app={app} /> : <Danger app={app} />}
              </Fragment>
            </div>
          )
        }
      </Block>
    </Page>
  );
}

/** The text with its invisible characters made visible, which an input field does not show; undefined if it has none. */
function hiddenIn(text: string): string | undefined {
  const shown = visible(text);
  return shown === text ? undefined : `Invisible characters: ${shown}`;
}

function Danger({ app }: { readonly app: App }): ReactNode {
  const [name, setName] = useState(app.name);
  const [isEnding, setEnding] = useState(false);
  const sending = useSending();
  const client = useQueryClient();
  const rename = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      await send('PATCH', `/v1/apps/${app.id}`, { name });
      await client.invalidateQueries({ queryKey: ['apps'] });
    });
  };
  return (
    <div className="stack wide form">
      <form className="stack" onSubmit={rename}>
        <Field label="Name" problem={sending.problemOf('name') ?? sending.problem} hint={hiddenIn(name)}>
          <input
            className="input"
            dir="auto"
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <div className="line">
          <button type="submit" className="button" disabled={sending.isSending || name === app.name}>
            Rename
          </button>
        </div>
      </form>
      <section className="stack">
        <h2>Archive</h2>
        <p className="prose">Its keys stop working within a second. Its events are kept.</p>
        <div className="line">
          <button type="button" className="button danger" onClick={() => setEnding(true)}>
            Archive {visible(app.name)}
          </button>
        </div>
      </section>
      {isEnding && <ArchiveDialog app={app} close={() => setEnding(false)} />}
    </div>
  );
}

function ArchiveDialog({ app, close }: { readonly app: App; readonly close: () => void }): ReactNode {
  const [typed, setTyped] = useState('');
  const sending = useSending();
  const client = useQueryClient();
  const navigate = useNavigate();
  const archive = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      await send('DELETE', `/v1/apps/${app.id}`);
      await client.invalidateQueries({ queryKey: ['apps'] });
      await navigate({ to: '/apps' });
    });
  };
  return (
    <Dialog title={`Archive ${visible(app.name)}`} close={close} size={420}>
      <form className="stack" onSubmit={archive}>
        <p>Its keys stop working within a second; programs that use them are refused. Its events are kept.</p>
        <TypedName name={visible(app.name)} value={typed} change={setTyped} first />
        <FormEnd sending={sending} label="Archive" kind="danger" isReady={isTypedName(typed, app.name)} close={close} />
      </form>
    </Dialog>
  );
}
