/** Each rule as the tree of its conditions, which were true, false or unknown. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { get, type Schemas } from '../api/client.ts';
import type { CallEvent } from '../api/types.ts';
import { Block } from '../parts/block.tsx';
import { FilePath, visible } from '../parts/text.tsx';
import type { TitledEvent } from './call-events.ts';

type Explained = Schemas['Explanation'];
export type ExplainedRule = Explained['rules'][number];

/** An explanation of each decision of a call: of the one on its request, and of those on its answers. */
export function Explanations({ events }: { readonly events: readonly TitledEvent[] }): ReactNode {
  const [only, ...more] = events;
  if (only !== undefined && more.length === 0) return <Explanation event={only.event} />;
  return (
    <div className="stack wide">
      {events.map(({ title, event }) => (
        <section key={event.id} className="stack" aria-label={`Explanation: ${title}`}>
          <h2>{title}</h2>
          <Explanation event={event} />
        </section>
      ))}
    </div>
  );
}

function Explanation({ event }: { readonly event: CallEvent }): ReactNode {
  const [all, setAll] = useState(false);
  const explained = useQuery({
    queryKey: ['explain', event.id, all],
    queryFn: ({ signal }) => get<Explained>(`/v1/events/${event.id}/explain`, { app: event.app.id, all }, { signal }),
    placeholderData: keepPreviousData,
  });
  return (
    <Block what="the explanation of the decision" query={explained} height={240}>
      {({ reproduced, differs, missing, rules }) => (
        <div className="stack">
          <p className="line">
            <span>
              Reproduced: {reproduced === null && `unknown (${missing.map(visible).join(', ')})`}
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
const OUTCOME_WORDS = { matched: 'fired', not_matched: 'did not fire', unknown: 'result unknown' } as const;

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
              {rule.exception === null ? '' : `, allowed by ${rule.exception}`}
            </span>
            {rule.path !== null && rule.line !== null && (
              <span className="meta mono push">
                <FilePath path={rule.path} line={rule.line} />
              </span>
            )}
          </p>
          <ul>
            {rule.conditions.map((condition, index) => {
              const [sign, word] = SIGNS[String(condition.result) as keyof typeof SIGNS];
              return (
                <li key={index} className="condition">
                  <span role="img" aria-label={word} className={condition.result === true ? '' : 'dim'}>
                    {sign}
                  </span>
                  <span>
                    <code className="mono">{visible(condition.text)}</code>{' '}
                    {condition.value_shown !== null && (
                      <span className="meta mono">{visible(condition.value_shown)}</span>
                    )}
                  </span>
                  {condition.line !== null && <span className="meta mono push">:{condition.line}</span>}
                </li>
              );
            })}
          </ul>
        </li>
      ))}
    </ul>
  );
}
