/** The largest changes since the previous period: an app, a model or a rule with more or fewer calls than chance explains. */
import type { ReactNode } from 'react';
import { isMerged } from '../api/merged-groups.ts';
import { RANKED, sum, useStats, type Stats } from '../api/stats.ts';
import { Block, Empty } from '../parts/block.tsx';
import { relativeChange, count, plural } from '../parts/format.ts';
import { useView } from '../shell/view.ts';
import { GroupName } from './group-name.tsx';
import { beforeWords } from './tiles.tsx';

const KINDS = { app: 'App', model: 'Model', rule: 'Rule' } as const;
type Kind = keyof typeof KINDS;

interface Change {
  readonly kind: Kind;
  readonly key: string;
  readonly label: string | null;
  readonly now: number;
  readonly before: number;
  readonly counted: Pick<Stats, 'from' | 'to'>;
  /**
   * The difference between `now` and `before` in standard deviations of counts: 10 after 2 is less significant than 1,000 after 500.
   */
  readonly apart: number;
}

const SHOWN = 5;
/** Changes below this threshold are not shown. */
const LEAST_APART = 3;

export function SharpestChanges(): ReactNode {
  const { range } = useView();
  const [app, model, rule] = [useStats('app', {}, RANKED), useStats('model', {}, RANKED), useStats('rule', {}, RANKED)];
  const all = [app, model, rule];
  const data = all.every((each) => each.data !== undefined)
    ? [...changesOf('app', app.data!), ...changesOf('model', model.data!), ...changesOf('rule', rule.data!)]
    : undefined;
  const query = {
    data,
    error: all.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => Promise.all(all.filter(({ error }) => error !== null).map((each) => each.refetch())),
    isPlaceholderData: all.some(({ isPlaceholderData }) => isPlaceholderData),
    isFetching: all.some(({ isFetching }) => isFetching),
  };
  return (
    <Block title={`Largest changes from ${beforeWords(range)}`} what="the largest changes" query={query} height={180}>
      {(changes) => {
        const shown = changes
          .filter(({ apart }) => apart >= LEAST_APART)
          .sort((left, right) => right.apart - left.apart)
          .slice(0, SHOWN);
        if (shown.length === 0) return <Empty>No statistically significant change.</Empty>;
        return (
          <ul className="rows">
            {shown.map((change) => (
              <li key={`${change.kind} ${change.key}`}>
                <span className="meta">{KINDS[change.kind]}</span>
                <GroupName by={change.kind} group={change} counted={change.counted} />
                <span className="num">
                  {count(change.now)} <span className="dim">{changeWords(change)}</span>
                </span>
              </li>
            ))}
          </ul>
        );
      }}
    </Block>
  );
}

function changesOf(kind: Kind, { groups, from, to }: Stats): readonly Change[] {
  return groups
    .filter((group) => !isMerged(group))
    .map(({ key, label, calls, previous }) => {
      const [now, before] = [sum(calls), previous?.calls ?? 0];
      const apart = Math.abs(now - before) / Math.sqrt(Math.max(1, now + before));
      return { kind, key, label, now, before, counted: { from, to }, apart };
    });
}

function changeWords({ kind, now, before }: Change): string {
  const what = plural(count(now), kind === 'rule' ? 'hit' : 'call');
  if (before === 0) return `${what}, none before`;
  return `${what}, ${relativeChange(now, before)}`;
}
