import type { Channel } from './channels.js';
import { blockKey } from './stream-ends.js';

/**
 * The complete texts of tool calls that are not decided. Each of them waits until no open call contains it, or the block that it is about.
 * However many texts wait, only those whose call or block was judged are looked at.
 */
export class WaitingTexts {
  /** The number of open calls that contain a text, or a block by its key. */
  private readonly openWith = new Map<Channel | string, number>();
  /** Texts by the part of an open call that they wait for: a text, or a block by its key. */
  private readonly waiting = new Map<Channel | string, Set<Channel>>();
  private readonly ready = new Set<Channel>();
  /** The order in which the texts became complete. */
  private readonly order = new Map<Channel, number>();
  private count = 0;

  /** Called when a text is complete. */
  add(text: Channel): void {
    if (!this.order.has(text)) this.order.set(text, this.count++);
    this.place(text);
  }

  /** Called when a call with this part is open. */
  opens(part: Channel | string): void {
    this.openWith.set(part, (this.openWith.get(part) ?? 0) + 1);
  }

  /** Called before the verdict on an open call with this part. */
  closes(part: Channel | string): void {
    const count = (this.openWith.get(part) ?? 0) - 1;
    if (count > 0) {
      this.openWith.set(part, count);
      return;
    }
    this.openWith.delete(part);
    const texts = this.waiting.get(part) ?? [];
    this.waiting.delete(part);
    for (const text of texts) this.place(text);
  }

  /** Whether no text can be decided. */
  get areAllWaiting(): boolean {
    return this.ready.size === 0;
  }

  /** The texts that no open call contains, in the order in which they became complete. */
  readyTexts(): readonly Channel[] {
    const texts = [...this.ready];
    this.ready.clear();
    // Since a text became ready, more of its call may have arrived.
    for (const text of texts) this.place(text);
    return [...this.ready].sort((a, b) => (this.order.get(a) ?? 0) - (this.order.get(b) ?? 0));
  }

  /** Called when the texts returned by `readyTexts` are decided. */
  decided(): void {
    for (const text of this.ready) this.order.delete(text);
    this.ready.clear();
  }

  private place(text: Channel): void {
    const part = [text, blockKey(text.scope)].find((each) => this.openWith.has(each));
    if (part === undefined) {
      this.ready.add(text);
      return;
    }
    const known = this.waiting.get(part);
    if (known === undefined) this.waiting.set(part, new Set([text]));
    else known.add(text);
  }
}
