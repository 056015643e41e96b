/** The kinds of objects of which a text that was pasted into the palette can be the id. */
import { isUuid } from '../parts/uuid.ts';

export interface Pasted {
  readonly kind: 'event' | 'key' | 'rule' | 'digest';
  readonly id: string;
}

/** The public part of a key: twelve characters, possibly in the form in which the pages show it, such as `sk_live_wr1_yTEzQ2mXw8Ab…`. */
const KEY = /^(?:sk_(?:live|test)_wr1_|(?=.*[0-9A-Z]))([0-9A-Za-z]{12})…?$/;
/** The beginning of a digest, as the pages show it, or all of it. */
const DIGEST = /^[0-9a-f]{7,64}$/;
const RULE = /^[\w-]+\.[\w.-]+$/;
/** Clients choose the ids of their events. A word of letters alone is rather the name of a page. */
const EVENT = /^(?=.*[\d_:.-])\S{1,200}$/;

/** The most probable meaning first. */
export function pastedIds(text: string): readonly Pasted[] {
  const key = KEY.exec(text)?.[1];
  return [
    ...(isUuid(text) ? [{ kind: 'event', id: text } as const] : []),
    ...(key === undefined ? [] : [{ kind: 'key', id: key } as const]),
    ...(DIGEST.test(text) ? [{ kind: 'digest', id: text } as const] : []),
    ...(RULE.test(text) ? [{ kind: 'rule', id: text } as const] : []),
    ...(EVENT.test(text) && !isUuid(text) ? [{ kind: 'event', id: text } as const] : []),
  ];
}
