/** The step of the setup guide that creates a key, and the app first if there is none. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { send } from '../api/client.ts';
import { ENVIRONMENTS, type App, type Environment } from '../api/types.ts';
import { Problem } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { AskBeforeLeaving, Secret } from '../parts/secret.tsx';
import { Field, Segments } from '../parts/small.tsx';

/** The key that was created for an app on this page. */
export interface Made {
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

export function KeyStep({ app, secret, made, isStored, stored }: KeyStepProps): ReactNode {
  const creation = useCreation(app, made);
  const isAtRisk = creation.sending.isSending || (secret !== null && !isStored);
  const asking = <AskBeforeLeaving word="key" isAtRisk={isAtRisk} />;
  if (secret !== null) {
    return (
      <>
        <Secret secret={secret} label="The key" variable="WEIR_KEY" stored={stored} forget={() => made(null)} />
        {asking}
      </>
    );
  }
  return (
    <KeyForm app={app} creation={creation}>
      {asking}
    </KeyForm>
  );
}

/** The typed names and the chosen environment, and the requests that create the app and the key. */
function useCreation(app: App | undefined, made: KeyStepProps['made']) {
  const [appName, setAppName] = useState('');
  const [name, setName] = useState('');
  const [environment, setEnvironment] = useState<Environment>('development');
  const sending = useSending();
  const client = useQueryClient();
  const navigate = useNavigate();
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
  return { appName, setAppName, name, setName, environment, setEnvironment, sending, create };
}

interface KeyFormProps {
  readonly app: App | undefined;
  readonly creation: ReturnType<typeof useCreation>;
  readonly children: ReactNode;
}

function KeyForm({ app, creation, children }: KeyFormProps): ReactNode {
  const { appName, setAppName, name, setName, environment, setEnvironment, sending, create } = creation;
  return (
    <form className="stack form" onSubmit={create}>
      {children}
      {app === undefined && (
        <Field label="Name of the app" problem={sending.problemOf('name')}>
          <input
            className="input"
            required
            maxLength={100}
            // An example of a name, shown while the field is empty.
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
          // An example of a name, shown while the field is empty.
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
