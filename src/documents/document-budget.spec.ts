import { DocumentBudget, type ReadDocument } from './document-budget.js';
import { DEFAULT_DOCUMENT_LIMITS } from './reading.js';

const nothing: ReadDocument = {
  formats: [],
  texts: [],
  media: [],
  unread: [],
  used: { files: 0, unpackedBytes: 0 },
  workMs: 0,
};
const textOf = (place: string, length: number) => ({ place, text: 'a'.repeat(length) });

describe('the limits of the documents of a call', () => {
  const limits = { ...DEFAULT_DOCUMENT_LIMITS, files: 3, unpackedBytes: 100, textChars: 10 };

  it.each<[string, Partial<ReadDocument>]>([
    ['files, of which each document is one', { used: { files: 2, unpackedBytes: 0 } }],
    ['unpacked bytes', { used: { files: 0, unpackedBytes: 100 } }],
    ['characters', { texts: [textOf('a', 4), textOf('b', 6)] }],
    ['CPU time, which is four times that of one document', { workMs: 200 }],
  ])('end when one of them is used up: %s', (_, used) => {
    const budget = new DocumentBudget(limits, 50);
    expect(budget.isUsedUp).toBe(false);
    expect(budget.charge({ ...nothing, ...used }, 9)).toEqual({ ...nothing, ...used });
    expect(budget.isUsedUp).toBe(true);
  });

  it('are the limits of the next document', () => {
    const budget = new DocumentBudget(limits, 50);
    const used = { files: 1, unpackedBytes: 30 };
    budget.charge({ ...nothing, used, texts: [textOf('a', 4)], workMs: 20 }, 9);
    expect(budget.room).toEqual({ files: 1, unpackedBytes: 70, textChars: 6, workMs: 180 });
  });

  it('leave out the texts that exceed them after documents were read at the same time', () => {
    const budget = new DocumentBudget(limits, 50);
    budget.charge({ ...nothing, texts: [textOf('a', 7)] }, 9);
    expect(budget.charge({ ...nothing, texts: [textOf('b', 4), textOf('c', 2)] }, 8)).toEqual({
      ...nothing,
      texts: [textOf('c', 2)],
      unread: [{ place: '', why: 'limit', bytes: 8 }],
    });
    expect(budget.room.textChars).toBe(1);
  });
});
