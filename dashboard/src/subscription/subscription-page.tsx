/**
 * The page of the subscription: its state, and the next step. Payments happen on pages of Stripe.
 */

/** Shows the current state and the next step. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { ApiError, get, send } from '../api/client.ts';
import type { Subscription } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { count, counted, onDay } from '../parts/format.ts';
import { payingUrl } from '../parts/safe-link.ts';
import { Page } from '../shell/page.tsx';
import { refusalReason } from '../shell/refusal-reason.ts';
import { useSearchParams } from '../shell/view.ts';
import { stateWords } from './state-words.ts';

const POLL_MS = 2_000;
const WAIT_MS = 60_000;

export function SubscriptionPage(): ReactNode {
  // Stripe returns to this address after a payment.
  const isBack = useSearchParams()['paid'] === '1';
  const isLate = useIsLate(isBack);
  const subscription = useQuery({
    queryKey: ['subscription'],
    queryFn: () => get<Subscription>('/v1/subscription'),
    refetchInterval: ({ state }) => (isBack && !isLate && state.data?.state !== 'active' ? POLL_MS : false),
  });
  const isConfirmed = isBack && subscription.data?.state === 'active';
  const client = useQueryClient();
  useEffect(() => {
    // The frame of the page shows a banner while calls are refused.
    if (isConfirmed) void client.invalidateQueries({ queryKey: ['me'] });
  }, [isConfirmed, client]);
  return (
    <Page title="Subscription">
      <Block what="the subscription" query={subscription} height={160}>
        {(found) =>
          found.billing === 'off' ? (
            <Empty>This service takes no payments: there is nothing to subscribe to.</Empty>
          ) : (
            <State found={found} payment={!isBack ? null : isConfirmed ? 'confirmed' : isLate ? 'late' : 'awaited'} />
          )
        }
      </Block>
    </Page>
  );
}

/** Whether the confirmation of a payment takes so long that the page no longer looks for it by itself. */
function useIsLate(isBack: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isBack) return undefined;
    const timer = window.setTimeout(() => setLate(true), WAIT_MS);
    return () => window.clearTimeout(timer);
  }, [isBack]);
  return isLate;
}

const PAYMENT_WORDS = {
  awaited: 'Waiting for confirmation of the payment.',
  confirmed: 'The payment is confirmed.',
  late: 'The payment is not confirmed yet. This can take some minutes; load the page again to see the current state.',
} as const;

interface StateProps {
  readonly found: Subscription;
  /** Null: the person does not come from a payment. */
  readonly payment: keyof typeof PAYMENT_WORDS | null;
}

function State({ found, payment }: StateProps): ReactNode {
  const { trial } = found;
  return (
    <div className="stack form">
      <h2>{stateWords(found)}</h2>
      {payment !== null && <p role="status">{PAYMENT_WORDS[payment]}</p>}
      {found.state === 'trialing' && trial !== null && (
        <>
          <p className="tab-nums">
            {count(trial.events_used)} of {counted(trial.events_included, 'event')}
          </p>
          <progress
            className="thin thick"
            value={trial.events_used}
            max={trial.events_included}
            aria-label="Events of the trial"
          />
          {!trial.over && <p className="dim">The trial ends {onDay(trial.ends_at)}.</p>}
        </>
      )}
      {refusalReason(found) !== null && (
        <p>Events and proxied calls are refused with 402. You can still read and export data.</p>
      )}
      <div className="line">
        <Go path="/v1/subscription/checkout" label="Choose a plan" isFirst={found.state !== 'active'} />
        <Go path="/v1/subscription/portal" label="Billing portal" isFirst={found.state === 'active'} />
      </div>
    </div>
  );
}

function Go({
  path,
  label,
  isFirst = false,
}: {
  readonly path: string;
  readonly label: string;
  readonly isFirst?: boolean;
}): ReactNode {
  const [problem, setProblem] = useState<string>();
  const [isOpening, setOpening] = useState(false);
  useEffect(() => {
    // The browser may show the page again as it was left.
    const back = (): void => setOpening(false);
    window.addEventListener('pageshow', back);
    return () => window.removeEventListener('pageshow', back);
  }, []);
  const go = (): void => {
    setProblem(undefined);
    // Until the browser has left the page, a second press would open a second payment.
    setOpening(true);
    const failed = (words: string): void => {
      setProblem(words);
      setOpening(false);
    };
    send<{ readonly url: string }>('POST', path, {}).then(
      ({ url }) => {
        const safe = payingUrl(url);
        if (safe === undefined)
          failed('The service returned an address that does not belong to Stripe. It was not opened.');
        else location.assign(safe);
      },
      (error: unknown) =>
        failed(
          error instanceof ApiError && error.status === 404
            ? 'The operator has not set up payments.'
            : 'The action failed. Try again.',
        ),
    );
  };
  return (
    <span className="stack">
      <button type="button" className={`button${isFirst ? ' primary' : ''}`} disabled={isOpening} onClick={go}>
        {label}
      </button>
      {problem !== undefined && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </span>
  );
}
