import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  YAMLParseError,
  type CST,
  type Document,
  type ParsedNode,
} from 'yaml';
import { plainError } from './plain-errors.js';
import type { Node, ScalarNode, Source, Span } from './node.js';
import type { Problems } from './problems.js';

/** Limits of one file. Policies are written by hand: a larger file is a mistake or an attack. */
export const YAML_LIMITS = { maxChars: 1_048_576, maxDepth: 40, maxNodes: 100_000 } as const;

/** A node consists of two to six tokens. A text with more tokens exceeds the limit of nodes in any case, so no nodes are created. */
const MAX_TOKENS = 6 * YAML_LIMITS.maxNodes;
const MAX_ERRORS = 20;
/** A file may contain only one document: the second one is reported, and the rest is not read. */
const TOO_MANY_DOCUMENTS = 2;
/** Least share of zero bytes in a UTF-16 text. Each Latin letter has one; in other scripts spaces and line ends do. */
const NULS_OF_UTF16 = 0.05;
/** The library's error for a text that is nested too deeply for its recursion. */
const STACK_EXHAUSTED = /call stack/i;
const TOO_LARGE = 'the file is nested too deeply or too large';

function looksLikeUtf16(text: string): boolean {
  return text.split('\0').length - 1 >= NULS_OF_UTF16 * text.length;
}

/**
 * Reads one file as YAML 1.2 (core schema) into nodes with positions. Strict: keys are unique strings; anchors, aliases, merge keys,
 * explicit tags, directives and further documents are refused, since each of them lets a line change the meaning of a distant line. Never
 * throws: undefined means that nothing could be read; `problems` contains the reason.
 */
export function readYaml(path: string, text: string, problems: Problems): Node | undefined {
  const source = sourceOf(path, text);
  if (text.length > YAML_LIMITS.maxChars) {
    problems.addFile('G010', path, `the file has more than ${YAML_LIMITS.maxChars} characters`);
    return undefined;
  }
  const nul = text.indexOf('\0');
  if (nul !== -1) {
    if (looksLikeUtf16(text))
      problems.addFile('G009', path, 'the file is not UTF-8 text; it looks like UTF-16', 'save it as UTF-8');
    else problems.add('G009', { source, start: nul, end: nul + 1 }, 'this character is NUL (U+0000)', 'remove it');
    return undefined;
  }
  // The replacement for bytes that are not UTF-8: a list entry that contains it would never match.
  const lost = text.indexOf('\ufffd');
  if (lost !== -1) {
    const span = { source, start: lost, end: lost + 1 };
    problems.add(
      'G009',
      span,
      'this character is not valid UTF-8',
      'save the file as UTF-8, or write "\\uFFFD" if that character is intended',
    );
    return undefined;
  }
  const document = parse(text);
  if (document === undefined) {
    problems.addFile('G010', path, TOO_LARGE);
    return undefined;
  }
  if (document.directives?.yaml.explicit === true || /^%/m.test(text.slice(0, document.range[0]))) {
    problems.addFile('G004', path, 'directives are not allowed', 'remove the lines that start with %');
  }
  for (const error of document.errors.slice(0, MAX_ERRORS)) {
    const { start, end, message, hint } = plainError(error, text, document);
    const span = { source, start, end };
    if (STACK_EXHAUSTED.test(error.message)) problems.add('G010', span, TOO_LARGE);
    else problems.add('G009', span, message, hint);
  }
  if (document.errors.length > 0 || document.contents === null) {
    if (document.errors.length === 0) problems.addFile('G008', path, 'the file is empty');
    return undefined;
  }
  const reader = new Reader(source, problems);
  const root = reader.read(document.contents, 1);
  // After a refused part the remaining nodes are incomplete, or a key is ambiguous: checking them would be misleading.
  return reader.isRefused ? undefined : root;
}

/** The document of a text; undefined if it exceeds a limit, which is checked before the slow part. */
function parse(text: string): Document.Parsed | undefined {
  try {
    const tokens = tokensOf(text);
    if (tokens === undefined) return undefined;
    // The reader below checks that keys are unique: the library would compare each key with all others.
    const options = { version: '1.2', schema: 'core', merge: false, strict: true, uniqueKeys: false } as const;
    const composer = new Composer({ ...options, stringKeys: true, logLevel: 'error' });
    const [document, further] = composer.compose(tokens, true, text.length);
    if (document !== undefined && further !== undefined) document.errors.push(secondDocument(further));
    return document;
  } catch {
    // The library recurses; a text that overflows the stack is refused like one over a limit.
    return undefined;
  }
}

function tokensOf(text: string): CST.Token[] | undefined {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  let documents = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_TOKENS) return undefined;
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'document' && ++documents === TOO_MANY_DOCUMENTS) return tokens;
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function secondDocument({ range }: Document.Parsed): YAMLParseError {
  const [start, end] = range;
  return new YAMLParseError([start, end], 'MULTIPLE_DOCS', 'a file must contain only one document');
}

/** A file with the offsets of its lines. */
export function sourceOf(path: string, text: string): Source {
  return { path, text, lineStarts: lineStartsOf(text) };
}

function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

class Reader {
  isRefused = false;
  private nodes = 0;
  private repeatedKeys = 0;

  constructor(
    private readonly source: Source,
    private readonly problems: Problems,
  ) {}

  read(node: ParsedNode | null, depth: number): Node | undefined {
    if (node === null) return undefined;
    const span = this.spanOf(node);
    this.nodes += 1;
    if (depth > YAML_LIMITS.maxDepth || this.nodes > YAML_LIMITS.maxNodes) {
      this.isRefused = true;
      if (this.nodes <= YAML_LIMITS.maxNodes + 1) this.problems.add('G010', span, TOO_LARGE);
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
    if (isMap(node)) return this.map(node.items, span, depth);
    return undefined;
  }

  private map(pairs: readonly YamlPair[], span: Span, depth: number): Node {
    const keys = new Set<string>();
    const entries = pairs.flatMap(({ key, value }) => {
      const keyNode = this.read(key, depth + 1);
      if (keyNode?.kind !== 'scalar') return [];
      const name = String(keyNode.value);
      if (keys.has(name)) this.refuseRepeated(keyNode.span);
      keys.add(name);
      if (keyNode.value === '<<' && key?.type === 'PLAIN') {
        this.refuse(keyNode.span, 'a merge key is not allowed');
        return [];
      }
      const read = value === null ? this.scalar(null, '', keyNode.span) : this.read(value, depth + 1);
      return read === undefined ? [] : [{ key: name, keySpan: keyNode.span, value: read }];
    });
    return { kind: 'map', span, entries };
  }

  private scalar(value: unknown, written: string | undefined, span: Span): ScalarNode {
    const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
    return { kind: 'scalar', span, value: plain, written: written ?? '' };
  }

  private refuseRepeated(span: Span): void {
    this.isRefused = true;
    this.repeatedKeys += 1;
    if (this.repeatedKeys <= MAX_ERRORS) this.problems.add('G014', span, 'the key is written twice in this map');
  }

  private refuse(span: Span, message: string): undefined {
    this.isRefused = true;
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
