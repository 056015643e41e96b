/** The result of a trial: the decision, the texts as they would be forwarded, and every evaluated rule. */
import { useState, type ReactNode } from 'react';
import type { Outcome } from '../api/types.ts';
import { Empty, Failed } from '../parts/block.tsx';
import { duration } from '../parts/format.ts';
import { OutcomeBadge } from '../parts/outcome.tsx';
import { CopyButton } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { MarkedText } from '../events/marked-text.tsx';
import { judgeWords, type Evaluated, type Trial } from './playground-call.ts';
import type { Judged } from './use-trial.ts';
import { TrialTest } from './trial-test.tsx';

const OUTCOME = { allow: 'allowed', redact: 'redacted', block: 'blocked', unavailable: 'unavailable' } as const;

interface ResultProps {
  readonly judged: Judged;
  /** Whether the name of the policy is shown above the result, as in a comparison. */
  readonly hasName: boolean;
}

export function Result({ judged, hasName }: ResultProps): ReactNode {
  const { run, judge, isOutdated, again } = judged;
  const [isKept, setKept] = useState(false);
  if (run.data === undefined && run.error === null) return <Empty>The decision appears here.</Empty>;
  return (
    <div className={ageOf(isOutdated)} aria-busy={isOutdated}>
      {hasName && <h2>{visible(judgeWords(judge))}</h2>}
      {run.error !== null && <Failed what="the decision" error={run.error} again={again} />}
      {run.data !== undefined && run.error === null && (
        <>
          <Verdict result={run.data} />
          <Texts result={run.data} trial={run.variables?.trial} />
          <div className="line">
            <button type="button" className="button" disabled={isOutdated} onClick={() => setKept(true)}>
              Save as test
            </button>
            <CopyButton text={withoutText(run.data)}>Copy without the text</CopyButton>
          </div>
          {isKept && run.variables !== undefined && <TrialTest asked={run.variables} close={() => setKept(false)} />}
        </>
      )}
    </div>
  );
}

/** The classes of a part of the page about a decision: it is dimmed while the input has changed since. */
export const ageOf = (isOutdated: boolean): string => `stack${isOutdated ? ' outdated' : ''}`;

function outcomeOf({ decision, violations }: Evaluated): Outcome {
  const wouldBlock = violations.some(({ action, enforced }) => action === 'block' && !enforced);
  return decision === 'allow' && wouldBlock ? 'would_block' : OUTCOME[decision];
}

function Verdict({ result }: { readonly result: Evaluated }): ReactNode {
  return (
    <>
      <p className="line">
        <OutcomeBadge outcome={outcomeOf(result)} />
        {result.violations.map(({ rule, enforced }) => (
          <code key={rule} className={enforced ? 'mono' : 'mono dim'}>
            {visible(rule)}
            {!enforced && ', monitored'}
          </code>
        ))}
        <span className="meta push tab-nums">{duration(result.ms)}</span>
      </p>
      {result.missing.length > 0 && (
        <p className="amber">No rule was violated: {result.missing.map(visible).join(', ')} did not answer.</p>
      )}
    </>
  );
}

/** The texts: in a conversation each with its role, in a tool call each with its place in the arguments. */
function Texts({ result, trial }: { readonly result: Evaluated; readonly trial: Trial | undefined }): ReactNode {
  const kindOf = (): 'blocked' | 'masked' => (result.decision === 'block' ? 'blocked' : 'masked');
  if (result.texts.length === 0) return null;
  return (
    <div className="stack">
      {result.texts.map(({ path, text }) => (
        <div key={path} className="trial-text">
          {trial?.mode !== 'text' && <p className="meta">{visible(roleAt(path, trial) ?? path)}</p>}
          <div className="frame text">
            <MarkedText text={text} path={path} details={{ masks: result.masks, kindOf, facts: [result.facts] }} />
          </div>
        </div>
      ))}
    </div>
  );
}

function roleAt(path: string, trial: Trial | undefined): string | undefined {
  if (trial?.mode !== 'messages') return undefined;
  const [, at] = /^messages\[(\d+)\]/.exec(path) ?? [];
  // Messages without text were not sent.
  return at === undefined ? undefined : trial.messages.filter(({ content }) => content !== '')[Number(at)]?.role;
}

const withoutText = ({ decision, violations }: Evaluated): string =>
  JSON.stringify({ decision, rules: violations.map(({ rule }) => rule) }, null, 2);

/** The differences between two decisions on the same call. */
export function Difference({ one, other }: { readonly one: Judged; readonly other: Judged }): ReactNode {
  const [left, right] = [one.run.data, other.run.data];
  if (left === undefined || right === undefined) return null;
  const rules = ({ violations }: Evaluated): readonly string[] => violations.map(({ rule }) => rule);
  const firesInFirst = (these: Evaluated, those: Evaluated): readonly string[] =>
    rules(these).filter((rule) => !rules(those).includes(rule));
  const parts = [
    ...(left.decision === right.decision
      ? []
      : [`${left.decision} by ${named(one)}, ${right.decision} by ${named(other)}`]),
    ...firesInFirst(left, right).map((rule) => `${rule} fires only in ${named(one)}`),
    ...firesInFirst(right, left).map((rule) => `${rule} fires only in ${named(other)}`),
    ...(left.decision === right.decision && textsOf(left) !== textsOf(right) ? ['the forwarded texts differ'] : []),
  ];
  return (
    <p
      className={`notice${parts.length === 0 ? '' : ' amber'}${one.isOutdated || other.isOutdated ? ' outdated' : ''}`}
      role="status"
    >
      {parts.length === 0 ? 'Both decisions are the same.' : `They differ: ${parts.map(visible).join('; ')}.`}
    </p>
  );
}

const named = ({ judge }: Judged): string => `“${judgeWords(judge)}”`;
const textsOf = ({ texts }: Evaluated): string => JSON.stringify(texts);
