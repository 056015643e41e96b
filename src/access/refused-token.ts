import { parseCredential } from './credential.js';

const FORM = 'wt_live_…';

/**
 * Why a management token was refused, as far as its own text tells: nothing was looked up for it, so that the reason says nothing
 * about which tokens exist. The text itself is not repeated. Refused API keys have no reasons: all of them get one answer.
 *
 * @param presented undefined where nothing was sent
 */
export function whyRefused(presented: string | undefined): string {
  if (presented === undefined || presented === '') {
    return `No management token was sent: send one (${FORM}) as \`Authorization: Bearer\``;
  }
  if (/^sk_(?:live|test)_/.test(presented)) {
    return `An API key was sent; this route needs a management token (${FORM})`;
  }
  if (!presented.startsWith('wt_live_')) return 'This is not a management token: they begin with wt_live_';
  if (parseCredential(presented) === null) return 'The management token is mistyped or cut off: its checksum is wrong';
  return 'There is no such management token: it was deleted, has expired, or belongs to another server';
}
