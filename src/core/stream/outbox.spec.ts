import type { GuardedChannel } from './guarded-channel.js';
import { GuardedBlock, Outbox } from './outbox.js';
import type { StreamEvent } from './stream-event.js';

/** A text that counts how often it is asked how much of it is decided. */
class Asked {
  own = 0;
  asked = 0;

  get limit(): number {
    this.asked++;
    return this.own;
  }

  get decidedBy(): Asked {
    return this;
  }
}

const EVENT = {} as StreamEvent;

/** A block of a choice with a text of one character. */
function blockOf(choice: number, text: Asked): GuardedBlock {
  const block = new GuardedBlock(`block ${choice}`, [EVENT], choice, false);
  block.add({ event: EVENT, segment: 0, channel: text as unknown as GuardedChannel, start: 0, end: 1 });
  return block;
}

describe('Outbox', () => {
  it('checks each block only a few times, regardless of the number of waiting blocks', () => {
    const outbox = new Outbox();
    const texts = Array.from({ length: 1_000 }, () => new Asked());
    const blocks = texts.map((text, choice) => blockOf(choice, text));
    for (const block of blocks) outbox.add(block);
    const left = [...texts.keys()].reverse().map((choice) => {
      const text = texts[choice]!;
      text.own = 1;
      outbox.decided(text as unknown as GuardedChannel);
      return outbox.take() === blocks[choice] && outbox.take() === undefined;
    });
    expect(left.every((isIt) => isIt)).toBe(true);
    expect(Math.max(...texts.map(({ asked }) => asked))).toBeLessThan(10);
  });

  it('returns ready blocks of several choices in their original order', () => {
    const outbox = new Outbox();
    const [first, second] = [new Asked(), new Asked()];
    const blocks = [blockOf(0, first), blockOf(0, first), blockOf(1, second), blockOf(0, first)];
    for (const block of blocks) outbox.add(block);
    expect(outbox.take()).toBeUndefined();
    for (const text of [second, first]) {
      text.own = 1;
      outbox.decided(text as unknown as GuardedChannel);
    }
    expect(blocks.map(() => outbox.take())).toEqual(blocks);
  });

  it('keeps a block if its text becomes part of a longer text of which less is decided', () => {
    const outbox = new Outbox();
    const [ahead, other, whole] = [new Asked(), new Asked(), new Asked()];
    const block = blockOf(0, ahead);
    block.add({ event: EVENT, segment: 1, channel: other as unknown as GuardedChannel, start: 0, end: 1 });
    outbox.add(block);
    ahead.own = 1;
    outbox.decided(ahead as unknown as GuardedChannel);
    expect(outbox.take()).toBeUndefined();
    Object.defineProperty(ahead, 'limit', { get: () => whole.own });
    Object.defineProperty(ahead, 'decidedBy', { get: () => whole });
    outbox.decided(ahead as unknown as GuardedChannel);
    other.own = 1;
    outbox.decided(other as unknown as GuardedChannel);
    expect(outbox.take()).toBeUndefined();
    whole.own = 1;
    outbox.decided(whole as unknown as GuardedChannel);
    expect(outbox.take()).toBe(block);
  });
});
