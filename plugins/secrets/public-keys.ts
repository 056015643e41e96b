import type { MatchInfo } from '../../src/core/plugin-api.js';

/**
 * Marks of keys that their vendors publish in web pages and apps, where every visitor can read them: publishable keys of Stripe and of
 * vendors with the same marks (https://docs.stripe.com/keys), project keys of PostHog (https://posthog.com/docs/api), publishable keys of
 * Supabase (https://supabase.com/docs/guides/api/api-keys). Public keys without such a mark cannot be told apart from secret ones.
 */
const MARK = /(?<![A-Za-z0-9])(?:pk_(?:live|test)_|phc_|sb_publishable_)/g;
/** The length of the longest mark and the unit before it. */
const MARK_UNITS = 16;

/** Whether a value is a key that its vendor publishes, or a part of one that begins in or directly behind its mark. */
export function isPublicKey(value: string, { text, start }: Pick<MatchInfo, 'text' | 'start'>): boolean {
  const before = text.slice(Math.max(0, start - MARK_UNITS), start);
  const marks = [...(before + value.slice(0, MARK_UNITS)).matchAll(MARK)];
  return marks.some(({ index, 0: mark }) => index <= before.length && index + mark.length >= before.length);
}
