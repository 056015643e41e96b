import { Parser, type ParserOptions } from 'htmlparser2';
import { OverLimit } from '../reading.js';

/** What a reader does with the parts of a markup. */
export type MarkupHandler = NonNullable<ConstructorParameters<typeof Parser>[0]>;

/** Up to this depth, visiting the enclosing elements costs less than reading the tag itself. */
const FREE_DEPTH = 256;
/** Maximum number of enclosing elements that the parser visits, beyond the free depth, for all tags of a markup together. */
const MOST_VISITS = 200_000_000;

/**
 * Reads HTML or XML. Source code with `List<String>` is a deep markup of elements without ends, so not the depth is limited, but the work.
 * @throws OverLimit if the elements are nested so deeply that their tags cost too much
 */
export function parseMarkup(markup: string, handler: MarkupHandler, options: ParserOptions): void {
  new LimitedParser(handler, options).end(markup);
}

/** The parser visits the enclosing elements at every tag: a tag in many elements costs as much as many tags. */
class LimitedParser extends Parser {
  private visits = 0;
  private readonly open: { depth: number };

  constructor(handler: MarkupHandler, options: ParserOptions) {
    const open = { depth: 0 };
    super(
      {
        ...handler,
        onopentag(...given) {
          open.depth++;
          handler.onopentag?.(...given);
        },
        onclosetag(...given) {
          open.depth--;
          handler.onclosetag?.(...given);
        },
      },
      options,
    );
    this.open = open;
  }

  override onopentagname(start: number, end: number): void {
    this.visitEnclosing();
    super.onopentagname(start, end);
  }

  override onclosetag(start: number, end: number): void {
    this.visitEnclosing();
    super.onclosetag(start, end);
  }

  private visitEnclosing(): void {
    this.visits += Math.max(0, this.open.depth - FREE_DEPTH);
    if (this.visits > MOST_VISITS) throw new OverLimit();
  }
}
