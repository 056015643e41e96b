/** The playground: judges a call without storing, logging or charging anything, and without a copy in the URL. */
import { useState, type ReactNode } from 'react';
import { useFeature } from '../api/queries.ts';
import { ENVIRONMENTS, type Environment } from '../api/types.ts';
import { Empty, Failed } from '../parts/block.tsx';
import { Segments } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { RuleTree } from '../events/explanation.tsx';
import { Page } from '../shell/page.tsx';
import { useSetSearch, useView } from '../shell/view.ts';
import { JudgePicker } from './judge-picker.tsx';
import { EMPTY_TRIAL, isReady, judgeWords, MODES, type Judge, type Trial } from './playground-call.ts';
import { TrialInput } from './playground-input.tsx';
import { ageOf, Difference, Result } from './playground-result.tsx';
import { takingBundles, useJudges, type Judges } from './use-judges.ts';
import { useDeployments } from './use-policy.ts';
import { useTrial, type Judged } from './use-trial.ts';

/** The tabs of a small screen, which shows one part at a time. */
const TABS = [
  ['input', 'Input'],
  ['result', 'Result'],
  ['explanation', 'Explanation'],
] as const;
type Tab = (typeof TABS)[number][0];

export function PlaygroundPage(): ReactNode {
  const isThere = useFeature('policies.evaluate');
  return (
    <Page title="Playground">
      {isThere ? (
        <Playground />
      ) : (
        <Empty>
          This version of the service cannot evaluate texts here. On a computer with the policy files, use{' '}
          <code className="mono">weir try</code>.
        </Empty>
      )}
    </Page>
  );
}

function Playground(): ReactNode {
  const { concrete: env } = useView();
  const [trial, setTrial] = useState<Trial>(EMPTY_TRIAL);
  const judges = useJudges(env);
  const { judge, other } = judges;
  const [tab, setTab] = useState<Tab>('input');
  const one = useTrial(env, trial, judge);
  const two = useTrial(env, trial, other);
  const change = (part: Partial<Trial>): void => setTrial((before) => ({ ...before, ...part }));
  const run = (): void => {
    one.again();
    two.again();
    setTab('result');
  };
  const shown = other === null ? [one] : [one, two];
  return (
    <form
      className="stack wide"
      {...takingBundles(judges)}
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) run();
      }}
    >
      <Choices env={env} trial={trial} change={change} judges={judges} />
      <div className="run-bar">
        <button type="submit" className="button primary" disabled={!isReady(trial)}>
          Run
        </button>
        <span className="hint wide-only">
          The evaluation also runs automatically as you type. You can drop or paste a bundle file here.
        </span>
      </div>
      <div className="segments-bar narrow-only">
        <Segments label="Part of the playground" value={tab} options={TABS} onChange={setTab} />
      </div>
      <div className={`playground show-${tab}${other === null ? '' : ' two'}`}>
        <section className="stack trial-input" aria-label="Input">
          <TrialInput env={env} trial={trial} change={change} />
          <p className="hint">The text is neither stored nor logged.</p>
          <MissingDeployments env={env} />
        </section>
        <Results sides={shown} />
        <section className="stack trial-explanation" aria-label="Explanation">
          <Explanation sides={shown} />
        </section>
      </div>
    </form>
  );
}

interface ChoicesProps extends CallChoicesProps {
  readonly env: Environment;
  readonly judges: Judges;
}

function Choices({ env, trial, change, judges }: ChoicesProps): ReactNode {
  const { judge, setJudge, other, setOther, problem, setProblem } = judges;
  const setSearch = useSetSearch();
  const chosen =
    (set: (judge: Judge | null) => void) =>
    (value: Judge | null): void => {
      setProblem(null);
      set(value);
    };
  return (
    <>
      <div className="line">
        <CallChoices trial={trial} change={change} />
        <select
          className="input small"
          aria-label="Environment of the policy"
          value={env}
          onChange={(event) => setSearch({ env: event.target.value as Environment })}
        >
          {ENVIRONMENTS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <JudgePicker
          env={env}
          label="Policy"
          judge={judge}
          change={chosen((value) => setJudge(value ?? 'force'))}
          refuse={setProblem}
        />
        <JudgePicker
          env={env}
          label="Compare with"
          isOptional
          judge={other}
          change={chosen(setOther)}
          refuse={setProblem}
        />
      </div>
      {problem !== null && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

interface CallChoicesProps {
  readonly trial: Trial;
  readonly change: (change: Partial<Trial>) => void;
}

/** The kind of the call, the stage at which a text is judged, and the model. */
function CallChoices({ trial, change }: CallChoicesProps): ReactNode {
  return (
    <>
      <Segments label="Kind of input" value={trial.mode} options={MODES} onChange={(mode) => change({ mode })} />
      {trial.mode === 'text' && (
        <label className="line tight meta">
          Stage
          <select
            className="input small"
            value={trial.stage}
            onChange={(event) => change({ stage: event.target.value as Trial['stage'] })}
          >
            <option>pre</option>
            <option>post</option>
          </select>
        </label>
      )}
      <label className="line tight meta">
        Model
        <input
          className="input small"
          // Shows the meaning of an empty field.
          // Says what an empty field means.
          placeholder="any"
          size={12}
          maxLength={200}
          value={trial.model}
          onChange={(event) => change({ model: event.target.value })}
        />
      </label>
    </>
  );
}

/** Last on the page: the active policy can judge without the deployments, and the layout above does not shift. */
function MissingDeployments({ env }: { readonly env: Environment }): ReactNode {
  const { error, refetch } = useDeployments(env);
  if (error === null) return null;
  return <Failed what={`the deployments of ${env} to choose from`} error={error} again={() => void refetch()} />;
}

interface SidesProps {
  /** One decision, or two that are compared. */
  readonly sides: readonly Judged[];
}

function Results({ sides }: SidesProps): ReactNode {
  const [one, two] = sides;
  return (
    <section aria-live="polite" className="stack trial-result" aria-label="Result">
      {one !== undefined && two !== undefined && <Difference one={one} other={two} />}
      <div className="trial-sides">
        {sides.map((judged, index) => (
          <div key={index} className="stack">
            <Result judged={judged} hasName={two !== undefined} />
          </div>
        ))}
      </div>
    </section>
  );
}

function Explanation({ sides }: SidesProps): ReactNode {
  const judged = sides.filter(({ run }) => run.data !== undefined && run.error === null);
  return (
    <>
      <h2>Explanation</h2>
      {judged.length === 0 && <p className="dim">Each evaluated rule and its result appear here.</p>}
      {judged.map(({ judge, run, isOutdated }, index) => (
        <div key={index} className={ageOf(isOutdated)}>
          {sides.length > 1 && <h3>{visible(judgeWords(judge))}</h3>}
          <RuleTree rules={run.data!.rules} />
        </div>
      ))}
    </>
  );
}
