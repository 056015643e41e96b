interface Waiting<Item, Answer> {
  readonly item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Combines concurrent requests: those that arrive while one query runs are sent together as the next one. */
export class Gathered<Item, Answer> {
  private queue: Waiting<Item, Answer>[] = [];
  private busy = false;

  /**
   * @param ask runs one query and returns the answers in the order of the items
   * @param most maximum number of items per query
   */
  constructor(
    private readonly ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
    private readonly most: number,
  ) {}

  of(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      this.pump();
    });
  }

  private pump(): void {
    if (this.busy || this.queue.length === 0) return;
    this.busy = true;
    void this.answer(this.queue.splice(0, this.most)).finally(() => {
      this.busy = false;
      this.pump();
    });
  }

  /** Never rejects. */
  private async answer(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.ask(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(answers[index]!));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
