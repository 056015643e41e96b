/**
 * The first page: traffic, outcomes, and a list of entries that need attention. It shows at most seven entries, the worst
 * first.
 */

/** Entries that need attention: at most seven, the worst first. "Not now" hides an entry for a day. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { send } from '../api/client.ts';
import { useApps, usePolled } from '../api/queries.ts';
import type { AttentionList } from '../api/types.ts';
import { Block, Empty, failureWords } from '../parts/block.tsx';
import { focusPageIfLost } from '../parts/focus.ts';
import { clock, count } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { safePath } from '../parts/safe-link.ts';
import { Time } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { useView } from '../shell/view.ts';

type AttentionItem = AttentionList['data'][number];
type Args = AttentionItem['text_args'];
const arg = (args: Args, name: string): string => visible(String(args[name] ?? ''));

const times = (value: Args[string] | undefined): string =>
  Number(value) === 1 ? 'once' : `${count(Number(value))} times`;
/** Replaces the ids of apps with their names. */
function named(args: Args, nameOf: (app: string) => string | undefined): Args {
  const { scope } = args;
  if (typeof scope !== 'string') return args;
  return {
    ...args,
    scope: scope.replace(/(?<=^|, )app=([\da-f-]{36})/, (all, id: string) => `app ${nameOf(id) ?? id}`),
  };
}

const scopeWords = (args: Args): string => (arg(args, 'scope') === '' ? '' : ` (${arg(args, 'scope')})`);

const WORDS: Readonly<Record<string, (args: Args) => string>> = {
  rule_spike: (args) =>
    args['times'] === null
      ? `${arg(args, 'rule')} fires, but did not fire in the week before`
      : `${arg(args, 'rule')} fires ${arg(args, 'times')} times as often as in the week before`,
  exception_ending: (args) =>
    `${arg(args, 'exception')} ends ${args['days'] === 1 ? 'within a day' : `in ${arg(args, 'days')} days`}`,
  replica_behind: (args) => `Replica ${arg(args, 'replica')} does not run the policy in force`,
  budget_forecast: (args) =>
    args['over'] === 'yes'
      ? `Budget ${arg(args, 'budget')} has reached its limit${scopeWords(args)}`
      : `Budget ${arg(args, 'budget')} will reach its limit at this pace${scopeWords(args)}`,
  detector_failing: (args) => `Detector ${arg(args, 'detector')} fails: calls are refused`,
  key_expiring: (args) => `Key ${arg(args, 'name') || arg(args, 'key')} expires soon`,
  key_unused: (args) => `Key ${arg(args, 'name') || arg(args, 'key')} is not used`,
  review_overdue: (args) => `${arg(args, 'rule')} is past its review date`,
  emergency_change: () => 'An emergency change is in force',
  trial_ending: (args) => (args['over'] === 'yes' ? 'The trial is over' : 'The trial ends soon'),
  marks_open: (args) =>
    Number(args['wrong']) > 0
      ? `${arg(args, 'rule')} was marked wrong ${times(args['wrong'])} and has not changed since`
      : `${arg(args, 'rule')} was marked missed ${times(args['missed'])} and has not changed since`,
};
const DAY_MS = 86_400_000;
const SHOWN = 7;

export function Attention(): ReactNode {
  const { environmentParam } = useView();
  const key = ['attention', environmentParam];
  const items = usePolled<AttentionList>(key, '/v1/attention', { environment: environmentParam });
  const apps = useApps().data;
  const nameOf = (app: string): string | undefined => apps?.find(({ id }) => id === app)?.name;
  const client = useQueryClient();
  const snooze = useMutation({
    mutationFn: (id: string) =>
      send('PUT', `/v1/attention/${encodeURIComponent(id)}/snooze`, {
        until: new Date(Date.now() + DAY_MS).toISOString(),
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: key });
      // The pressed button has left the page with its entry.
      requestAnimationFrame(focusPageIfLost);
    },
  });
  return (
    <Block title="Needs attention" what="the attention list" query={items} height={180}>
      {({ data, checked_at: checkedAt }) =>
        data.length === 0 ? (
          <Empty>Nothing needs attention. Last checked {clock(checkedAt)}.</Empty>
        ) : (
          <>
            {snooze.error !== null && (
              <p className="problem" role="alert">
                The entry was not hidden. {failureWords(snooze.error).words}
              </p>
            )}
            <ul className="attention">
              {data.slice(0, SHOWN).map((item) => (
                <li key={item.id}>
                  <span className={item.severity === 'critical' ? 'red' : item.severity === 'warn' ? 'amber' : 'dim'}>
                    <Icon name="alert" />
                    <span className="sr">{item.severity}</span>
                  </span>
                  <span className="prose">
                    {WORDS[item.kind]?.(named(item.text_args, nameOf)) ?? item.kind}
                    {item.environment !== null && <span className="dim"> · {item.environment}</span>}
                    {item.since !== null && (
                      <span className="dim">
                        {' · '}
                        <Time at={item.since} />
                      </span>
                    )}
                  </span>
                  <span className="line tight nowrap push">
                    {item.link !== null && (
                      <a className="button" href={safePath(item.link)}>
                        {item.count === null ? 'Look' : `See ${count(item.count)}`}
                      </a>
                    )}
                    <button
                      type="button"
                      className="button quiet"
                      title="Not now: hidden for 24 hours"
                      onClick={() => snooze.mutate(item.id)}
                    >
                      Not now
                    </button>
                  </span>
                </li>
              ))}
            </ul>
          </>
        )
      }
    </Block>
  );
}
