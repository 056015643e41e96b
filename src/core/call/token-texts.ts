import {
  isArray,
  isObject,
  isString,
  memberOf,
  membersNamed,
  type JsonNode,
  type ObjectNode,
  type TextNode,
} from '../json/json-node.js';
import type { Segment } from '../model/call.js';
import { readingAnyUtf8 } from '../coding/utf8.js';
import { isStop, type Steps } from '../steps/steps.js';
import { joining } from '../text/replacing.js';
import type { CallCollector } from './call-collector.js';
import { memberPath } from './json-path.js';
import type { Place, RemainingSteps, TokenText } from './reading-place.js';
import { bytesOfToken, joinedBytes, OF_BYTES, type TokenBytes } from './token-bytes.js';

/** Lists in log probabilities with the tokens that the model chose, in lower case: of chat completions, of completions, and of Gemini. */
const LISTS: ReadonlySet<string> = new Set(['content', 'refusal', 'tokens', 'chosencandidates', 'chosen_candidates']);
/** Members of log probabilities, or of a chosen token, with the tokens that the model could have chosen, in lower case. */
const ALTERNATIVES: ReadonlySet<string> = new Set(['top_logprobs', 'topcandidates', 'top_candidates']);
/** Maximum length of an alternative that is not judged. No text consists of several alternatives, and shorter ones contain no credential. */
const UNITS_OF_WORD = 15;
/** Matches the bytes of a part of a character, also after a space. They form no text, and their token can be written in any way. */
const IN_CHARACTER = /^\s*\ufffd+\s*$/;
/** The maximum number of lists of one object that are compared with its texts; further ones are judged without a comparison. */
const MOST_COMPARED = 16;
/** The maximum number of names, besides the usual ones, whose texts are joined in one list; further ones are joined with each other. */
const MOST_NAMES = 8;

/**
 * Reads an object of an answer with `read`, and afterwards the tokens of its log probabilities. Usually they repeat a text of the object, but
 * some servers list tokens of texts that the answer does not contain, such as hidden reasoning. These tokens are judged as one text, and so
 * are their bytes, if these are another text. A long token that the model did not choose is judged by itself.
 * @param names the members with log probabilities, in lower case; the case of the object's names is ignored, as clients in Go do
 */
export function withTokenTexts(
  collector: CallCollector,
  node: ObjectNode,
  place: Place,
  names: readonly string[],
  read: () => RemainingSteps,
): RemainingSteps {
  const holds = collector.calls === 'new' && membersNamed(node, names).length > 0;
  return holds ? collector.begun(readingTokens(collector, node, place, names, read)) : read();
}

function* readingTokens(
  collector: CallCollector,
  node: ObjectNode,
  place: Place,
  names: readonly string[],
  read: () => RemainingSteps,
): Steps<void> {
  const first = collector.segments.length;
  yield* collector.rest(read());
  const end = collector.segments.length;
  let compared = 0;
  function* add(text: string, own: Place, between: Tokens['between']): Steps<TokenText['repeats']> {
    const isCompared = compared++ < MOST_COMPARED;
    const repeats = isCompared ? yield* repetitionOf(text, collector.segments, first, end) : 'nothing';
    collector.tokens(tokensOf(collector, text, own, between, repeats));
    return repeats;
  }
  for (const [position, { key, value }] of node.members.entries()) {
    if (isStop(position)) yield;
    if (!names.includes(key.text) && !names.includes(key.text.toLowerCase())) continue;
    const at = { path: memberPath(place.path, key.text, position), role: place.role };
    for (const { name, member, texts, between, bytes } of yield* tokensIn(value)) {
      const text = yield* joining(texts);
      const list = name === undefined ? at.path : memberPath(at.path, name, 0);
      const own = { path: member === undefined ? list : memberPath(list, member, 0), role: at.role };
      const repeats = text === '' ? 'nothing' : yield* add(text, own, between);
      if (bytes === undefined) continue;
      const written = yield* readingAnyUtf8(yield* joinedBytes(bytes));
      const ofBytes = { ...own, path: `${own.path}.bytes` };
      const isOther = written !== text && written !== '';
      if (isOther && !IN_CHARACTER.test(written)) yield* add(written, ofBytes, between);
      // They continue bytes of earlier events that differ from the text of their tokens.
      else if (text !== '')
        collector.tokens({
          ...tokensOf(collector, isOther ? written : text, ofBytes, between, 'part'),
          areOfText: repeats === 'all',
        });
    }
    for (const { text, node: own } of yield* longAlternativesIn(value))
      collector.tokens({
        text,
        place: at,
        repeats: 'alone',
        node: () => (own.text === text ? own : collector.doc.textFrom(own, own, text)),
      });
  }
}

function tokensOf(
  { doc }: CallCollector,
  text: string,
  place: Place,
  [first, last]: Tokens['between'],
  repeats: TokenText['repeats'],
): TokenText {
  return { text, place, repeats, node: () => doc.textFrom(first, last, text) };
}

/** Texts that stand in one list, one after the other. */
interface Tokens {
  /** The name of the list; undefined if the log probabilities are the list. */
  readonly name: string | undefined;
  /** The name of the texts in the items, if it is not the usual one. */
  readonly member?: string;
  readonly texts: readonly string[];
  /** The first and the last node of the list's items that the texts belong to. */
  readonly between: readonly [first: TextNode, last: TextNode];
  /** The bytes of each token; absent if no token has bytes. */
  readonly bytes?: readonly TokenBytes[];
}

/**
 * The tokens of each list. Those that are strings of the list, and those that are members of its objects, are separate. Strings under any
 * other name are read as well, each name separately: a client may read them.
 */
function* tokensIn(value: JsonNode): Steps<Tokens[]> {
  const all: Tokens[] = [];
  for (const { name, items } of listsIn(value)) {
    const [strings, members, bytes]: [TextNode[], TextNode[], TokenBytes[]] = [[], [], []];
    const others = new Map<string, TextNode[]>();
    let hasBytes = false;
    for (const [index, item] of items.entries()) {
      if (isStop(index)) yield;
      if (isString(item)) strings.push(item);
      if (!isObject(item)) continue;
      // Cohere names the text of a token like any other text.
      const token = memberOf(item, 'token') ?? memberOf(item, 'text');
      const own = bytesOfToken(item);
      hasBytes ||= own !== undefined;
      const anchor = isString(token) ? token : own === undefined ? undefined : item.members[0]?.key;
      if (anchor !== undefined) {
        members.push(anchor);
        bytes.push({ text: isString(token) ? token.text : '', bytes: own });
      }
      for (const { key, value: other } of item.members)
        if (isString(other) && other !== token && key.text.toLowerCase() !== OF_BYTES)
          addNamed(others, key.text.toLowerCase(), other);
    }
    addTokens(all, { name }, strings);
    addTokens(all, { name, ...(hasBytes && { bytes }) }, members, bytes);
    for (const [member, nodes] of others) addTokens(all, { name, member }, nodes);
  }
  return all;
}

function addNamed(lists: Map<string, TextNode[]>, name: string, node: TextNode): void {
  const own = lists.has(name) || lists.size < MOST_NAMES ? name : '';
  const known = lists.get(own);
  if (known === undefined) lists.set(own, [node]);
  else known.push(node);
}

function addTokens(
  all: Tokens[],
  head: Pick<Tokens, 'name' | 'member' | 'bytes'>,
  nodes: readonly TextNode[],
  tokens: readonly { readonly text: string }[] = nodes,
): void {
  const [first, last] = [nodes[0], nodes.at(-1)];
  if (first === undefined || last === undefined) return;
  all.push({ ...head, texts: tokens.map(({ text }) => text), between: [first, last] });
}

function listsIn(
  value: JsonNode,
): readonly { readonly name: string | undefined; readonly items: readonly JsonNode[] }[] {
  if (isArray(value)) return [{ name: undefined, items: value.items }];
  if (!isObject(value)) return [];
  return value.members.flatMap(({ key: { text: name }, value: own }) => {
    if (isArray(own)) return LISTS.has(name.toLowerCase()) ? [{ name, items: own.items }] : [];
    // Events of Cohere contain the text of their tokens as one string.
    return isString(own) ? [{ name, items: [own] }] : [];
  });
}

/** How far a text repeats one of these segments; a search within them would take longer than proportional to their lengths. */
function* repetitionOf(
  text: string,
  segments: readonly Segment[],
  first: number,
  end: number,
): Steps<TokenText['repeats']> {
  let isPart = false;
  for (let at = first; at < end; at++) {
    const own = segments[at]!.text;
    if (own === text) return 'all';
    isPart ||= own.length > text.length && (own.startsWith(text) || own.endsWith(text));
    if (isStop(at)) yield;
  }
  return isPart ? 'part' : 'nothing';
}

/** A long text that the model did not choose, and the node of its token. */
interface Alternative {
  readonly text: string;
  readonly node: TextNode;
}

/** The long tokens that the model did not choose. */
function* longAlternativesIn(value: JsonNode): Steps<readonly Alternative[]> {
  const found: Alternative[] = [];
  yield* findingAlternatives(value, found);
  for (const { items } of listsIn(value)) {
    for (const [index, item] of items.entries()) {
      const before = found.length;
      yield* findingAlternatives(item, found);
      // The alternatives of a token usually include the token.
      if (found.length > before) {
        const chosen = memberOf(item, 'token');
        const others = found.splice(before).filter(({ text }) => !isString(chosen) || text !== chosen.text);
        for (const other of others) found.push(other);
      }
      if (isStop(index)) yield;
    }
  }
  return found;
}

function* findingAlternatives(node: JsonNode, found: Alternative[]): Steps<void> {
  if (!isObject(node)) return;
  for (const { key, value } of node.members) {
    if (!ALTERNATIVES.has(key.text.toLowerCase()) || !isArray(value)) continue;
    for (const [index, item] of value.items.entries()) {
      // Gemini lists the alternatives of each token as `candidates`.
      const candidates = memberOf(item, 'candidates');
      for (const each of isArray(candidates) ? candidates.items : [item]) yield* addingAlternative(each, found);
      if (isStop(index)) yield;
    }
  }
}

/** Adds the token of an alternative and its bytes, or the tokens that are the names of its members, as in completions. */
function* addingAlternative(item: JsonNode, found: Alternative[]): Steps<void> {
  if (!isObject(item)) return;
  const token = memberOf(item, 'token');
  const nodes = isString(token) ? [token] : item.members.map(({ key }) => key);
  for (const node of nodes) if (node.text.length > UNITS_OF_WORD) found.push({ text: node.text, node });
  const bytes = bytesOfToken(item);
  const [node] = nodes;
  if (node === undefined || bytes === undefined || bytes.length <= UNITS_OF_WORD) return;
  const text = yield* readingAnyUtf8(yield* joinedBytes([{ text: '', bytes }]));
  if (text !== node.text && text.length > UNITS_OF_WORD) found.push({ text, node });
}
