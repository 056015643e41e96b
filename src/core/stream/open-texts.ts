import type { GuardedChannel } from './guarded-channel.js';
import { endKeys, type EndedTexts } from './stream-ends.js';

const NONE: readonly GuardedChannel[] = [];

/** The incomplete texts of a stream, grouped by the way in which an event could end them. */
export class OpenTexts {
  private readonly all = new Set<GuardedChannel>();
  private readonly byKey = new Map<string, Set<GuardedChannel>>();

  add(channel: GuardedChannel): void {
    this.all.add(channel);
    for (const key of endKeys(channel.channel)) {
      const known = this.byKey.get(key);
      if (known === undefined) this.byKey.set(key, new Set([channel]));
      else known.add(channel);
    }
  }

  delete(channel: GuardedChannel): void {
    if (!this.all.delete(channel)) return;
    for (const key of endKeys(channel.channel)) {
      const known = this.byKey.get(key);
      if (known?.delete(channel) === true && known.size === 0) this.byKey.delete(key);
    }
  }

  /** The texts that an event ends. */
  endedBy({ texts }: EndedTexts): GuardedChannel[] {
    if (texts === 'all') return [...this.all];
    return texts.flatMap((key) => [...(this.byKey.get(key) ?? NONE)]);
  }
}
