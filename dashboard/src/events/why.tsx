/** Each rule as the tree of its conditions: what was true, what was not, and what could not be known. */
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { get } from '../api/client.ts';
import type { CallEvent } from '../api/types.ts';
import { Block } from '../parts/block.tsx';
import { visible } from '../parts/text.tsx';

export interface ExplainedRule {
  readonly id: string;
  readonly stage: string;
  readonly tool_call: number | null;
  readonly outcome: 'matched' | 'not_matched' | 'unknown';
  readonly mode: string;
  readonly exception: string | null;
  readonly path: string | null;
  readonly line: number | null;
  readonly conditions: readonly {
    readonly line: number | null;
    readonly text: string;
    readonly result: boolean | null;
    readonly fact: string | null;
    readonly value_shown: string | null;
  }[];
}
interface Explained {
  /** Null: it cannot be told. */
  readonly reproduced: boolean | null;
  readonly differs: readonly string[];
  readonly missing: readonly string[];
  readonly decision: string | null;
  readonly deciding_rule: string | null;
  readonly rules: readonly ExplainedRule[];
}

export function Why({ event }: { readonly event: CallEvent }): ReactNode {
  const [all, setAll] = useState(false);
  const why = useQuery({
    queryKey: ['explain', event.id, all],
    queryFn: ({ signal }) => get<Explained>(`/v1/events/${event.id}/explain`, { app: event.app.id, all }, { signal }),
    placeholderData: (before) => before,
  });
  return (
    <Block what="why it was decided so" query={why} height={240}>
      {({ reproduced, differs, missing, rules }) => (
        <div className="stack">
          <p className="line">
            <span>
              Comes out again: {reproduced === null && `cannot be told: ${missing.map(visible).join(', ')}`}
              {reproduced === true && 'yes'}
              {reproduced === false && <span className="amber">no, {differs.map(visible).join('; ')}</span>}
            </span>
            <label className="line tight push">
              <input type="checkbox" checked={all} onChange={(change) => setAll(change.target.checked)} />
              Rules that did not fire
            </label>
          </p>
          <RuleTree rules={rules} />
        </div>
      )}
    </Block>
  );
}

const SIGNS = { true: ['✓', 'true'], false: ['✗', 'false'], null: ['?', 'unknown'] } as const;
const OUTCOME_WORDS = { matched: 'fired', not_matched: 'did not fire', unknown: 'could not be known' } as const;

export function RuleTree({ rules }: { readonly rules: readonly ExplainedRule[] }): ReactNode {
  if (rules.length === 0) return <p className="dim">No rule fired.</p>;
  return (
    <ul className="tree">
      {rules.map((rule) => (
        <li key={`${rule.id} ${rule.stage} ${rule.tool_call ?? ''}`}>
          <p className="line">
            <span className="mono">{rule.id}</span>
            <span className="meta">
              {OUTCOME_WORDS[rule.outcome]}
              {rule.tool_call === null ? '' : `, tool call ${rule.tool_call + 1}`}
              {rule.mode === 'monitor' ? ', monitored' : ''}
              {rule.exception === null ? '' : `, let through by ${rule.exception}`}
            </span>
            {rule.path !== null && rule.line !== null && (
              <span className="meta mono push">
                {rule.path}:{rule.line}
              </span>
            )}
          </p>
          <ul>
            {rule.conditions.map((condition, index) => {
              const [sign, word] = SIGNS[String(condition.result) as keyof typeof SIGNS];
              return (
                <li key={index} className="line">
                  <span role="img" aria-label={word} className={condition.result === true ? '' : 'dim'}>
                    {sign}
                  </span>
                  <code className="mono">{visible(condition.text)}</code>
                  {condition.value_shown !== null && (
                    <span className="meta mono">{visible(condition.value_shown)}</span>
                  )}
                </li>
              );
            })}
          </ul>
        </li>
      ))}
    </ul>
  );
}
