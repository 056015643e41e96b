import type { Respond } from './raw-upstream.js';

/** The number of characters in a cached block; a prompt's last, incomplete block is never cached. */
const BLOCK = 64;

/**
 * A prompt cache like those of providers: the longest prefix that a request shares with an earlier one, in full blocks and byte by
 * byte, is a hit. A message counts as a hit if it ends less than one block after that prefix.
 */
export class PrefixCache {
  private readonly seen = new Set<string>();
  private hits = 0;
  private messages = 0;

  /** The share of all messages that were read from the cache, 0 to 1. */
  get hitRate(): number {
    return this.messages === 0 ? 0 : this.hits / this.messages;
  }

  /** Wraps a responder and records the prompts of its requests. */
  around(respond: Respond): Respond {
    return (response, request) => {
      this.look(request.body.toString('utf8'));
      return respond(response, request);
    };
  }

  private look(body: string): void {
    const { messages } = JSON.parse(body) as { messages: unknown[] };
    const ends = messages.map((_, index) => JSON.stringify(messages.slice(0, index + 1)).length - 1);
    const prompt = JSON.stringify(messages);
    let cached = 0;
    while (cached + BLOCK <= prompt.length && this.seen.has(prompt.slice(0, cached + BLOCK))) cached += BLOCK;
    for (let end = BLOCK; end <= prompt.length; end += BLOCK) this.seen.add(prompt.slice(0, end));
    this.messages += messages.length;
    this.hits += ends.filter((end) => end - BLOCK < cached).length;
  }
}
