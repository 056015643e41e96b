/** A text in, a decision out. Nothing of it is stored, logged or charged, and nothing of it stands in the address. */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { send, type Schemas } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import { ENVIRONMENTS, type Environment } from '../api/types.ts';
import { Empty, Failed } from '../parts/block.tsx';
import { duration } from '../parts/format.ts';
import { OutcomeBadge } from '../parts/outcome.tsx';
import { CopyButton, Field, Segments } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { MarkedText } from '../events/marked-text.tsx';
import { RuleTree } from '../events/why.tsx';
import { Page } from '../shell/page.tsx';
import { useSetSearch, useView } from '../shell/view.ts';

type Evaluated = Schemas['Evaluation'];

type Mode = 'text' | 'tool';
const PAUSE_MS = 400;
const OUTCOME = { allow: 'allowed', redact: 'redacted', block: 'blocked', unavailable: 'unavailable' } as const;

export function PlaygroundPage(): ReactNode {
  const isThere = useFeature('policies.evaluate');
  return (
    <Page title="Playground">
      {isThere ? (
        <Playground />
      ) : (
        <Empty>
          This version of the service cannot judge a text for you here. On a computer with the policies:{' '}
          <code className="mono">weir try</code>.
        </Empty>
      )}
    </Page>
  );
}

function Playground(): ReactNode {
  const { concrete } = useView();
  const setSearch = useSetSearch();
  const [mode, setMode] = useState<Mode>('text');
  const [stage, setStage] = useState('pre');
  const [text, setText] = useState('');
  const [tool, setTool] = useState('run_shell');
  const [model, setModel] = useState('');
  const [deployment, setDeployment] = useState('');
  const run = useMutation({
    mutationFn: () =>
      send<Evaluated>(
        'POST',
        `/v1/policies/${concrete}/evaluate`,
        bodyOf({ mode, stage, text, tool, model, deployment }),
      ),
  });
  const { mutate } = run;
  useEffect(() => {
    if (text.trim() === '') return undefined;
    const timer = window.setTimeout(() => mutate(), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [text, mode, stage, tool, model, deployment, concrete, mutate]);
  return (
    <div className="playground">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) mutate();
        }}
      >
        <div className="line">
          <Segments
            label="What is judged"
            value={mode}
            options={[
              ['text', 'Text'],
              ['tool', 'Tool call'],
            ]}
            onChange={setMode}
          />
          <select
            className="input small"
            aria-label="Environment of the policy"
            value={concrete}
            onChange={(event) => setSearch({ env: event.target.value as Environment })}
          >
            {ENVIRONMENTS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </div>
        {mode === 'tool' && (
          <Field label="Tool">
            <input className="input mono" value={tool} onChange={(event) => setTool(event.target.value)} />
          </Field>
        )}
        <Field label={mode === 'tool' ? 'Arguments, JSON' : 'Text'}>
          <textarea
            className="input"
            rows={10}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        <div className="line">
          {mode === 'text' && (
            <label className="line tight meta">
              Stage
              <select className="input small" value={stage} onChange={(event) => setStage(event.target.value)}>
                <option>pre</option>
                <option>post</option>
              </select>
            </label>
          )}
          <label className="line tight meta">
            Model
            <input
              className="input small"
              placeholder="any"
              value={model}
              onChange={(event) => setModel(event.target.value)}
            />
          </label>
          <label className="line tight meta">
            Deployment
            <input
              className="input tiny"
              inputMode="numeric"
              placeholder="in force"
              value={deployment}
              onChange={(event) => setDeployment(event.target.value)}
            />
          </label>
        </div>
        <div className="line">
          <button type="submit" className="button primary" disabled={text.trim() === ''}>
            Run
          </button>
          <span className="hint">The text is not stored and not logged.</span>
        </div>
      </form>
      <section aria-live="polite" className="stack" aria-label="Result">
        {run.error !== null && <Failed what="the decision" error={run.error} again={() => mutate()} />}
        {run.data === undefined && run.error === null && <Empty>The decision shows here.</Empty>}
        {run.data !== undefined && <Result result={run.data} />}
      </section>
    </div>
  );
}

interface Asked {
  readonly mode: Mode;
  readonly stage: string;
  readonly text: string;
  readonly tool: string;
  readonly model: string;
  readonly deployment: string;
}

function bodyOf({ mode, stage, text, tool, model, deployment }: Asked): object {
  const common = {
    ...(model === '' ? {} : { model }),
    ...(/^\d+$/.test(deployment) ? { deployment: Number(deployment) } : {}),
  };
  if (mode === 'text') return { ...common, stage, text };
  return { ...common, stage: 'tool', tool: { name: tool, arguments: parsed(text) } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function Result({ result }: { readonly result: Evaluated }): ReactNode {
  return (
    <>
      <p className="line">
        <OutcomeBadge outcome={OUTCOME[result.decision]} />
        {result.violations.map(({ rule }) => (
          <code key={rule} className="mono">
            {visible(rule)}
          </code>
        ))}
        <span className="meta push tab-nums">{duration(result.ms)}</span>
      </p>
      {result.missing.length > 0 && (
        <p className="amber">No rule was broken: {result.missing.map(visible).join(', ')} did not answer.</p>
      )}
      {result.text !== null && (
        <div className="frame text">
          <MarkedText
            text={result.text}
            path="text"
            tells={{
              masks: (result.masks ?? []).map((mask) => ({ ...mask, path: 'text' })),
              kindOf: () => (result.decision === 'block' ? 'blocked' : 'masked'),
            }}
          />
        </div>
      )}
      <h2>Why</h2>
      <RuleTree rules={result.rules} />
      <div className="line">
        <CopyButton
          text={JSON.stringify(
            { decision: result.decision, rules: result.violations.map(({ rule }) => rule) },
            null,
            2,
          )}
        >
          Copy without the text
        </CopyButton>
      </div>
    </>
  );
}
