import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Block, Empty } from '../parts/block.tsx';
import { count, counted } from '../parts/format.ts';
import { ActionBadge } from '../parts/outcome.tsx';
import { filterOfRule } from '../policies/rule-words.ts';
import { useRuleHits } from '../policies/use-rules.ts';
import { inEnvironment } from '../shell/page-environment.ts';
import { useView } from '../shell/view.ts';
import { useFiguresLink } from '../shell/zoom.ts';

const SHOWN = 6;

/** The rules that fire most: the name links to the page of the rule, the number to its calls. */
export function TopRules(): ReactNode {
  const { concrete, environment, span } = useView();
  const linkTo = useFiguresLink();
  const stats = useRuleHits(concrete, span);
  return (
    <Block
      title={environment === 'all' ? `Rules that fire most, ${concrete}` : 'Rules that fire most'}
      aside={
        <Link to="/policies/$env" params={{ env: concrete }} search={inEnvironment(concrete)} className="link meta">
          See all
        </Link>
      }
      what="the rules that fire most"
      query={stats}
      height={180}
    >
      {({ data, ...range }) => {
        const fired = data
          .filter(({ hits }) => hits > 0)
          .sort((left, right) => right.hits - left.hits)
          .slice(0, SHOWN);
        const { times, noted } = linkTo(range);
        const callsOf = (filter: string): never =>
          ((before: object) => ({ ...before, ...times, rule: filter, env: concrete })) as never;
        if (fired.length === 0) return <Empty>No rule fired in this range.</Empty>;
        return (
          <ul className="rows">
            {fired.map(({ rule, formerly, action, mode, hits }) => (
              <li key={rule}>
                <ActionBadge action={action} would={mode === 'monitor'} />
                <Link
                  to="/policies/$env/rules/$rule"
                  params={{ env: concrete, rule }}
                  search={inEnvironment(concrete)}
                  className="cut mono"
                >
                  {rule}
                </Link>
                <Link
                  to="/events"
                  search={callsOf(filterOfRule(rule, formerly))}
                  onClick={noted}
                  className="num"
                  aria-label={`${counted(hits, 'event')} of ${rule}`}
                >
                  {count(hits)}
                </Link>
              </li>
            ))}
          </ul>
        );
      }}
    </Block>
  );
}
