/** The decision, the rule that caused it, and the place of that rule. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CallEvent, Environment, Violation } from '../api/types.ts';
import { OutcomeBadge, outcomeOf, outcomeOfAction, strongestFirst, styleOf } from '../parts/outcome.tsx';
import { FilePath, visible } from '../parts/text.tsx';
import { useJudged, type Rule } from '../policies/use-rules.ts';
import { inEnvironment, linkedEnvironment } from '../shell/page-environment.ts';
import { BudgetRefusal } from './budget-refusal.tsx';
import { answerWords, isOfBudget, reasonWords } from './reasons.ts';

const WORDS = { block: 'blocked', redact: 'redacted', flag: 'flagged' } as const;

interface VerdictProps {
  readonly event: CallEvent;
  /** The error event of the call, if the provider failed. */
  readonly error?: CallEvent | undefined;
}

export function Verdict({ event, error }: VerdictProps): ReactNode {
  const outcome = outcomeOf(event);
  const fired = strongestFirst(event.violations);
  const budget = isOfBudget(event) && <BudgetRefusal event={event} />;
  if (fired.length === 0) {
    return budget !== false ? (
      <div className="stack">
        {budget}
        <Excepted event={event} />
      </div>
    ) : (
      <div className={`frame ${styleOf(outcome)}`}>
        <p className="line">
          <OutcomeBadge outcome={error === undefined ? outcome : 'error'} />
          {error !== undefined && <span>{failureOf(error)}</span>}
          {outcome === 'allowed' ? <span className="dim">No rule fired.</span> : <span>{reasonWords(event)}</span>}
        </p>
        <Excepted event={event} />
      </div>
    );
  }
  const [first, ...more] = fired;
  return (
    <div className="stack">
      {error !== undefined && (
        <p className="frame line">
          <OutcomeBadge outcome="error" />
          <span>{failureOf(error)}</span>
        </p>
      )}
      {budget}
      <ViolationBox event={event} violation={first!} />
      <Excepted event={event} />
      {more.length > 0 && (
        <details open={more.length < 3}>
          <summary className="meta">
            {more.length} more {more.length === 1 ? 'rule' : 'rules'}
          </summary>
          <div className="stack">
            {more.map((violation, index) => (
              <ViolationBox key={index} event={event} violation={violation} />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

/** The provider's failure as a sentence: its status, and the kind of the error. */
export function failureOf({ upstream_status: status, reason }: CallEvent): string {
  return `${answerWords(status)}.${reason === null ? '' : ` ${visible(reason)}`}`;
}

function ViolationBox({ event, violation }: { readonly event: CallEvent; readonly violation: Violation }): ReactNode {
  const { rule, action, severity, enforced, message, answered, detector, locations, count } = violation;
  const outcome = outcomeOfAction(action);
  const { rules, deployment } = useJudged(event);
  const place = rules?.find(({ id }) => id === rule);
  return (
    <div className={`frame ${outcome}${enforced ? '' : ' would'}`}>
      <p className="line">
        <OutcomeBadge outcome={outcome} would={!enforced} />
        <Link
          to="/policies/$env/rules/$rule"
          params={{ env: event.environment, rule }}
          search={inEnvironment(event.environment)}
          className="mono rule-name"
        >
          {visible(rule)}
        </Link>
        <span className="meta push">
          {severity} · {enforced ? 'enforced' : 'monitored'}
        </span>
      </p>
      <p className="prose verdict-message">{visible(message)}</p>
      {answered && <p className="meta">The client received the answer of this rule instead of an error.</p>}
      {!enforced && <p className="meta">The rule only monitors; otherwise it would have {WORDS[action]} this.</p>}
      <p className="line meta">
        {locations !== undefined && locations.length > 0 && (
          <span>
            In <code className="mono">{locations.slice(0, 3).map(visible).join(', ')}</code>
            {locations.length > 3 ? ` and ${locations.length - 3} more` : ''}
            {count !== undefined && count > 1 ? `, ${count} times` : ''}
          </span>
        )}
        {detector !== undefined && <span>by {detector}</span>}
        {place !== undefined && <RuleSource env={event.environment} place={place} deployment={deployment} />}
        {deployment !== null && (
          <Link
            to="/policies/$env/history"
            params={{ env: event.environment }}
            search={inEnvironment(event.environment)}
            className="link"
          >
            deployment {deployment}
          </Link>
        )}
      </p>
    </div>
  );
}

interface RuleSourceProps {
  readonly env: Environment;
  /** The file and the line of the rule. */
  readonly place: Pick<Rule, 'path' | 'line'>;
  /** The deployment with the rules by which the event was judged; null: none, or unknown. */
  readonly deployment: number | null;
}

function RuleSource({ env, place, deployment }: RuleSourceProps): ReactNode {
  return (
    <Link
      to="/policies/$env/files/$"
      params={{ env, _splat: place.path }}
      search={
        ((before: object) => ({
          ...before,
          env: linkedEnvironment(env),
          ...(deployment === null ? {} : { deployment: String(deployment) }),
        })) as never
      }
      hash={`L${place.line}`}
      className="link mono"
    >
      <FilePath path={place.path} line={place.line} />
    </Link>
  );
}

/** Rules that matched but had no effect because of an exception. */
function Excepted({ event }: { readonly event: CallEvent }): ReactNode {
  return event.excepted.map(({ rule, exception, kept }) => (
    <p key={`${rule} ${exception}`} className="meta">
      <code className="mono">{visible(rule)}</code> matched, but was not applied because of the exception{' '}
      <Link
        to="/policies/$env/exceptions"
        params={{ env: event.environment }}
        search={inEnvironment(event.environment)}
        className="link mono"
      >
        {visible(exception)}
      </Link>
      {kept !== null && `; otherwise it would have ${WORDS[kept]} this`}.
    </p>
  ));
}
