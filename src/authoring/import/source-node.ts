import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml';

/** The reason why a file of another system cannot be converted: it is not YAML or JSON. */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource';

  constructor(
    message: string,
    /** 1-based. */
    readonly line: number,
  ) {
    super(message);
  }
}

/** A part of a file that an import has not read. */
export interface UnreadPart {
  readonly path: string;
  readonly line: number;
}

const MAX_ALIASES = 100;

/**
 * A value of a YAML or JSON file, with its line. It records whether the import has read it: unread parts are reported, so that no part
 * of a file is dropped silently.
 */
export class SourceNode {
  #isRead = false;
  #isSettled = false;

  constructor(
    /** Path, such as `guardrails[0].litellm_params.mode`. */
    readonly path: string,
    /** 1-based line of the key, or of the value in a list. */
    readonly line: number,
    readonly value: unknown,
    readonly entries: ReadonlyMap<string, SourceNode>,
    readonly items: readonly SourceNode[],
  ) {}

  /** The value of a key of a map; marks both as read. */
  get(key: string): SourceNode | undefined {
    this.#isRead = true;
    const found = this.entries.get(key);
    if (found !== undefined) found.#isRead = true;
    return found;
  }

  /** The values of a list; a single value counts as a list of one. */
  list(): readonly SourceNode[] {
    this.#isRead = true;
    for (const item of this.items) item.#isRead = true;
    if (this.items.length > 0) return this.items;
    return this.entries.size > 0 || this.value === undefined || this.value === null ? [] : [this];
  }

  /** The text of a scalar; marks it as settled. */
  text(): string | undefined {
    this.settle();
    return ['string', 'number', 'boolean'].includes(typeof this.value) ? String(this.value) : undefined;
  }

  /** The text of a key's value, if there is one. */
  textOf(key: string): string | undefined {
    return this.get(key)?.text();
  }

  /** The boolean value of a key; undefined if there is none. The other systems read YAML 1.1, where `yes` and `on` are true. */
  switchOf(key: string): boolean | undefined {
    const word = this.textOf(key)?.toLowerCase() ?? '';
    if (['true', 'yes', 'on'].includes(word)) return true;
    return ['false', 'no', 'off'].includes(word) ? false : undefined;
  }

  /** Excludes the node and all nodes within from `unread`. */
  settle(): this {
    this.#isRead = true;
    this.#isSettled = true;
    return this;
  }

  /** The outermost unread parts, in the order of the file. */
  unread(): UnreadPart[] {
    if (this.#isSettled) return [];
    if (!this.#isRead) return [{ path: this.path, line: this.line }];
    return [...this.entries.values(), ...this.items].flatMap((one) => one.unread());
  }
}

/**
 * Reads a YAML or JSON file.
 *
 * @param keyOf normalises keys; by default they stay as they are
 * @throws UnreadableSource with the line of the first syntax error
 */
export function readSource(text: string, keyOf: (key: string) => string = (key) => key): SourceNode {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, strict: false, uniqueKeys: false, logLevel: 'silent' });
  const [mistake] = document.errors;
  if (mistake !== undefined)
    throw new UnreadableSource(
      mistake.message.split('\n', 1)[0]!.replace(/ at line.*$/, ''),
      mistake.linePos?.[0].line ?? 1,
    );
  let aliases = 0;
  const lineOf = (node: Node | null | undefined, otherwise: number): number =>
    node?.range === undefined || node.range === null ? otherwise : lines.linePos(node.range[0]).line;
  const read = (written: Node | null | undefined, path: string, at: number): SourceNode => {
    if (isAlias(written) && ++aliases > MAX_ALIASES) throw new UnreadableSource('too many aliases', at);
    const node = isAlias(written) ? written.resolve(document) : written;
    const within = path === '' ? '' : `${path}.`;
    if (isMap<Node, Node>(node)) {
      const entries = new Map<string, SourceNode>();
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : String(key);
        entries.set(keyOf(name), read(value, `${within}${name}`, lineOf(key, at)));
      }
      return new SourceNode(path, at, undefined, entries, []);
    }
    if (isSeq<Node>(node)) {
      const items = node.items.map((item, index) => read(item, `${path}[${index}]`, lineOf(item, at)));
      return new SourceNode(path, at, undefined, new Map(), items);
    }
    return new SourceNode(path, at, isScalar(node) ? node.value : undefined, new Map(), []);
  };
  return read(document.contents, '', 1);
}
