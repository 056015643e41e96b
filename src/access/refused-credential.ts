import { parseCredential, type ParsedCredential } from './credential.js';

/** What a route takes. */
export type WantedCredential = 'key' | 'token';

/** Where each is sent, and what it begins with. */
const FORMS: Readonly<
  Record<WantedCredential, { readonly name: string; readonly form: string; readonly sent: string }>
> = {
  key: {
    name: 'API key',
    form: 'sk_live_… or sk_test_…',
    sent: '`Authorization: Bearer`; on the proxy in `X-Service-Key`',
  },
  token: { name: 'management token', form: 'wt_live_…', sent: '`Authorization: Bearer`' },
};
const OURS = /^(?:(sk_(?:live|test)_)|(wt_live_))/;

/**
 * Why a credential was refused, as far as its own text tells: nothing was looked up for it, so that it says nothing of which
 * keys and tokens there are. The text itself is not repeated.
 *
 * @param presented undefined where nothing was sent
 */
export function whyRefused(presented: string | undefined, wanted: WantedCredential): string {
  const { name, form, sent } = FORMS[wanted];
  if (presented === undefined || presented === '') return `No ${name} was sent (${form}, in ${sent})`;
  const kind = kindOf(presented);
  if (kind === undefined) return `What was sent is no ${name}, which begins with ${form.replaceAll('…', '')}`;
  if (kind !== wanted)
    return `${withArticle(FORMS[kind].name)} was sent, and this takes ${withArticle(name, 'small')} (${form})`;
  const parsed: ParsedCredential | null = parseCredential(presented);
  if (parsed === null) return `The ${name} is mistyped or cut off`;
  return `There is no such ${name}: it was deleted or has expired, or belongs to another server`;
}

function kindOf(presented: string): WantedCredential | undefined {
  const [, key, token] = OURS.exec(presented) ?? [];
  return key === undefined ? (token === undefined ? undefined : 'token') : 'key';
}

function withArticle(name: string, letters: 'small' | 'capital' = 'capital'): string {
  const article = /^[AEIOU]/i.test(name) ? 'an' : 'a';
  return `${letters === 'small' ? article : article[0]!.toUpperCase() + article.slice(1)} ${name}`;
}
