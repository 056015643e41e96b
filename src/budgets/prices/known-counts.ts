import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CountTokens, Steps } from '../../core/index.js';
import type { WordCounts } from './word-counts.js';

/** Counting a shorter text takes no longer than its digest. */
const SHORTEST_REMEMBERED = 128;
const MOST_TEXTS = 20_000;
const SALT_BYTES = 32;

/**
 * Remembers the token counts of the texts that an application sends again, such as instructions, descriptions of tools and earlier turns of
 * a conversation. A count is found by a digest of the text and the app with a random salt: nobody can derive the text from it, nor, from the
 * duration of a call, what other apps have sent.
 */
export class KnownCounts {
  private readonly known = new LRUCache<string, number>({ max: MOST_TEXTS });
  private readonly salt = randomBytes(SALT_BYTES).toString('base64');

  constructor(private readonly words: Pick<WordCounts, 'of' | 'counting'>) {}

  /** @param appId the app that sends the text */
  of(text: string, appId: string): ReturnType<CountTokens> {
    if (text.length < SHORTEST_REMEMBERED) return this.words.of(text);
    // In UTF-8, all lone surrogates would become the same character.
    if (!text.isWellFormed()) return this.words.counting(text);
    const digest = hash('sha256', `${this.salt}${appId}\n${text}`, 'base64');
    return this.known.get(digest) ?? this.counting(text, digest);
  }

  private *counting(text: string, digest: string): Steps<number> {
    const tokens = yield* this.words.counting(text);
    this.known.set(digest, tokens);
    return tokens;
  }
}
