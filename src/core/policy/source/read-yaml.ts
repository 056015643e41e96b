import { isAlias, isMap, isScalar, isSeq, parseDocument, type Document, type ParsedNode } from 'yaml';
import type { Node, ScalarNode, Source, Span } from './node.js';
import type { Problems } from './problems.js';

/** Limits of one file. A policy is written by people: what is larger is a mistake or an attack. */
export const YAML_LIMITS = { maxChars: 1_048_576, maxDepth: 40, maxNodes: 100_000 } as const;

/**
 * Reads one file as YAML 1.2 (core schema) into nodes with positions. Strict: keys are unique strings; anchors, aliases,
 * merge keys, explicit tags, directives and further documents are refused, since each of them lets a line change the
 * meaning of a distant one. Never throws: undefined means that nothing could be read and why is in `problems`.
 */
export function readYaml(path: string, text: string, problems: Problems): Node | undefined {
  const source: Source = { path, text, lineStarts: lineStartsOf(text) };
  if (text.length > YAML_LIMITS.maxChars) {
    problems.addFile('G010', path, `the file has more than ${YAML_LIMITS.maxChars} characters`);
    return undefined;
  }
  const document = parse(text);
  if (document === undefined) {
    problems.addFile('G010', path, 'the text is nested too deeply to be read');
    return undefined;
  }
  if (document.directives?.yaml.explicit === true || /^%/m.test(text.slice(0, document.range[0]))) {
    problems.addFile('G004', path, 'directives are not allowed', 'remove the lines that start with %');
  }
  for (const error of document.errors.slice(0, 20)) {
    const [start, end] = error.pos;
    if (error.code === 'DUPLICATE_KEY') {
      problems.add('G014', { source, start, end: endOfKey(text, start) }, 'the key is written twice in this map');
    } else problems.add('G009', { source, start, end }, messageOf(error.message));
  }
  if (document.errors.length > 0 || document.contents === null) {
    if (document.errors.length === 0) problems.addFile('G008', path, 'the file is empty');
    return undefined;
  }
  const reader = new Reader(source, problems);
  const root = reader.read(document.contents, 1);
  // What is left of a text that was cut would be judged as if it were all of it.
  return reader.isCut ? undefined : root;
}

function parse(text: string): Document.Parsed | undefined {
  try {
    const options = { version: '1.2', schema: 'core', merge: false, strict: true, uniqueKeys: true } as const;
    return parseDocument(text, { ...options, stringKeys: true, prettyErrors: false, logLevel: 'error' });
  } catch {
    // The library recurses; a text that exhausts the stack is refused like any other that is over a limit.
    return undefined;
  }
}

/** The library's own sentence, first line only, without the positions that it appends. */
function messageOf(message: string): string {
  return (message.split('\n', 1)[0] ?? message).replace(/ at line \d+, column \d+:?$/, '').slice(0, 200);
}

/** The library marks one character of a key; people want to see all of it. */
function endOfKey(text: string, start: number): number {
  const key = /^[^\s:,{}[\]]{1,100}/.exec(text.slice(start, start + 100))?.[0] ?? '';
  return start + Math.max(1, key.length);
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

class Reader {
  isCut = false;
  private nodes = 0;

  constructor(
    private readonly source: Source,
    private readonly problems: Problems,
  ) {}

  read(node: ParsedNode | null, depth: number): Node | undefined {
    if (node === null) return undefined;
    const span = this.spanOf(node);
    this.nodes += 1;
    if (depth > YAML_LIMITS.maxDepth || this.nodes > YAML_LIMITS.maxNodes) {
      this.isCut = true;
      if (this.nodes <= YAML_LIMITS.maxNodes + 1)
        this.problems.add('G010', span, 'the file is nested too deeply or too large');
      return undefined;
    }
    if (isAlias(node)) return this.refuse(span, 'an alias is not allowed');
    if (node.anchor !== undefined) return this.refuse(span, 'an anchor is not allowed');
    if (node.tag !== undefined) return this.refuse(span, 'a tag is not allowed');
    if (isScalar(node)) return this.scalar(node.value, node.source, span);
    if (isSeq(node)) {
      const items = (node.items as (ParsedNode | null)[]).flatMap((item) => this.read(item, depth + 1) ?? []);
      return { kind: 'seq', span, items };
    }
    if (isMap(node)) return this.map(node.items as unknown as readonly YamlPair[], span, depth);
    return undefined;
  }

  private map(pairs: readonly YamlPair[], span: Span, depth: number): Node {
    const entries = pairs.flatMap(({ key, value }) => {
      const keyNode = this.read(key, depth + 1);
      if (keyNode?.kind !== 'scalar') return [];
      if (keyNode.value === '<<' && key?.type === 'PLAIN') {
        this.refuse(keyNode.span, 'a merge key is not allowed');
        return [];
      }
      const read = value === null ? this.scalar(null, '', keyNode.span) : this.read(value, depth + 1);
      return read === undefined ? [] : [{ key: String(keyNode.value), keySpan: keyNode.span, value: read }];
    });
    return { kind: 'map', span, entries };
  }

  private scalar(value: unknown, written: string | undefined, span: Span): ScalarNode {
    const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
    return { kind: 'scalar', span, value: plain, written: written ?? '' };
  }

  private refuse(span: Span, message: string): undefined {
    this.problems.add('G004', span, message, 'write the value out, or use `lists` and `conditions`');
    return undefined;
  }

  private spanOf(node: ParsedNode): Span {
    return { source: this.source, start: node.range[0], end: node.range[1] };
  }
}

interface YamlPair {
  readonly key: (ParsedNode & { readonly type?: string }) | null;
  readonly value: ParsedNode | null;
}
