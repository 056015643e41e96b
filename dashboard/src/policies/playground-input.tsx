/** The form for the call to be judged: a text, a conversation or a tool call, and its context. */
import { useState, type ReactNode } from 'react';
import { useApps } from '../api/queries.ts';
import type { Environment } from '../api/types.ts';
import { Icon } from '../parts/icons.tsx';
import { Field } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { LAST_LOCAL_INPUT, zoneNow } from '../parts/zone.ts';
import { isClock, ROLES, wrongLine, type Message, type Trial } from './playground-call.ts';
import { useActive } from './use-policy.ts';
import { useRules } from './use-rules.ts';

interface InputProps {
  readonly env: Environment;
  readonly trial: Trial;
  readonly change: (change: Partial<Trial>) => void;
}

export function TrialInput({ env, trial, change }: InputProps): ReactNode {
  return (
    <>
      {trial.mode === 'text' && (
        <Field label="Text">
          <Lines rows={10} value={trial.text} change={(text) => change({ text })} />
        </Field>
      )}
      {trial.mode === 'messages' && <Messages messages={trial.messages} change={(messages) => change({ messages })} />}
      {trial.mode === 'tool' && (
        <>
          <Field label="Tool">
            <input
              className="input mono"
              maxLength={200}
              value={trial.tool}
              onChange={(event) => change({ tool: event.target.value })}
            />
          </Field>
          <Field label="Arguments, JSON">
            <Lines rows={8} value={trial.args} change={(args) => change({ args })} />
          </Field>
        </>
      )}
      <Around env={env} trial={trial} change={change} />
    </>
  );
}

interface LinesProps {
  readonly rows: number;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly label?: string;
  /** An example line, shown while the field is empty. */
  readonly example?: string;
}

function Lines({ rows, value, change, label, example }: LinesProps): ReactNode {
  return (
    <textarea
      className="input"
      rows={rows}
      spellCheck={false}
      dir="auto"
      aria-label={label}
      // The HTML attribute for an example in an empty field.
      placeholder={example}
      value={value}
      onChange={(event) => change(event.target.value)}
    />
  );
}

interface MessagesProps {
  readonly messages: readonly Message[];
  readonly change: (messages: readonly Message[]) => void;
}

function Messages({ messages, change }: MessagesProps): ReactNode {
  const set = (at: number, part: Partial<Message>): void =>
    change(messages.map((message, index) => (index === at ? { ...message, ...part } : message)));
  const next = messages.at(-1)?.role === 'user' ? 'assistant' : 'user';
  return (
    <div className="field" role="group" aria-label="Messages">
      <ol className="trial-messages">
        {messages.map(({ role, content }, at) => (
          <li key={at}>
            <div className="line nowrap">
              <select
                className="input small"
                aria-label={`Role of message ${at + 1}`}
                value={role}
                onChange={(event) => set(at, { role: event.target.value as Message['role'] })}
              >
                {ROLES.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
              {messages.length > 1 && (
                <button
                  type="button"
                  className="button quiet icon-only push"
                  aria-label={`Remove message ${at + 1}`}
                  onClick={() => change(messages.filter((_, index) => index !== at))}
                >
                  <Icon name="close" />
                </button>
              )}
            </div>
            <Lines rows={3} label={`Message ${at + 1}`} value={content} change={(text) => set(at, { content: text })} />
          </li>
        ))}
      </ol>
      <div className="line">
        <button type="button" className="button" onClick={() => change([...messages, { role: next, content: '' }])}>
          <Icon name="plus" />
          Add a message
        </button>
      </div>
    </div>
  );
}

/** The context of the call: app, metadata, time, and detectors treated as unavailable. */
function Around({ env, trial, change }: InputProps): ReactNode {
  const apps = useApps().data;
  const wrong = wrongLine(trial.metadata);
  const said = [trial.app, trial.metadata.trim(), trial.at, ...trial.down].filter((each) => each !== '').length;
  const [wasOpen] = useState(said > 0);
  return (
    <details open={wasOpen}>
      <summary>App, metadata, clock, detectors{said > 0 && <span className="dim"> · {said} set</span>}</summary>
      <div className="stack trial-around">
        <Field label="App (empty: none)">
          <input
            className="input"
            list="trial-apps"
            maxLength={200}
            value={trial.app}
            onChange={(event) => change({ app: event.target.value })}
          />
        </Field>
        <datalist id="trial-apps">
          {apps?.map(({ id, name }) => (
            <option key={id} value={name} />
          ))}
        </datalist>
        <Field
          label="Metadata, a line for each"
          problem={wrong === undefined ? undefined : `“${visible(wrong)}” is not in the form name=value.`}
        >
          <Lines rows={2} example="team=ads" value={trial.metadata} change={(metadata) => change({ metadata })} />
        </Field>
        <Field
          label="Time of the call (empty: now)"
          hint={`In the time zone ${zoneNow().replaceAll('_', ' ')}.`}
          problem={isClock(trial.at) ? undefined : 'A year has four digits.'}
        >
          <input
            className="input"
            type="datetime-local"
            max={LAST_LOCAL_INPUT}
            step={1}
            value={trial.at}
            onChange={(event) => change({ at: event.target.value })}
          />
        </Field>
        <Down env={env} down={trial.down} change={(down) => change({ down })} />
      </div>
    </details>
  );
}

interface DownProps {
  readonly env: Environment;
  readonly down: readonly string[];
  readonly change: (down: readonly string[]) => void;
}

function Down({ env, down, change }: DownProps): ReactNode {
  const detectors = useRules(env, useActive(env).data?.digest).data?.detectors ?? [];
  if (detectors.length === 0) return null;
  return (
    <fieldset className="choices-box">
      <legend>Unavailable detectors</legend>
      {detectors.map(({ key }) => (
        <label key={key} className="line tight">
          <input
            type="checkbox"
            checked={down.includes(key)}
            onChange={({ target }) => change(target.checked ? [...down, key] : down.filter((each) => each !== key))}
          />
          <span className="mono">{visible(key)}</span>
        </label>
      ))}
    </fieldset>
  );
}
