import {
  isArray,
  isObject,
  isString,
  lastMemberOf,
  memberOf,
  type JsonNode,
  type ObjectNode,
  type TextNode,
} from '../json/json-node.js';
import type { Segment } from '../model/call.js';
import { isStop, type Steps } from '../steps/steps.js';
import { joining } from '../text/replacing.js';
import type { CallCollector } from './call-collector.js';
import { memberPath } from './json-path.js';
import type { Place, RemainingSteps, TokenText } from './reading-place.js';

/** Lists in log probabilities with the tokens that the model chose: of chat completions, of completions, and of Gemini. */
const LISTS: ReadonlySet<string> = new Set(['content', 'refusal', 'tokens', 'chosenCandidates', 'chosen_candidates']);
/** Members of log probabilities, or of a chosen token, with the tokens that the model could have chosen. */
const ALTERNATIVES: ReadonlySet<string> = new Set(['top_logprobs', 'topCandidates', 'top_candidates']);
/** Maximum length of an alternative that is not judged. No text consists of several alternatives, and shorter ones contain no credential. */
const UNITS_OF_WORD = 15;
/** The maximum number of lists of one object that are compared with its texts; further ones are judged without a comparison. */
const MOST_COMPARED = 16;

/**
 * Reads an object of an answer with `read`, and afterwards the tokens of its log probabilities. Usually they repeat a text of the object, but
 * some servers list tokens of texts that the answer does not contain, such as hidden reasoning. These tokens are judged as one text. A long
 * token that the model did not choose is judged by itself.
 * @param names the members with log probabilities
 */
export function withTokenTexts(
  collector: CallCollector,
  node: ObjectNode,
  place: Place,
  names: readonly string[],
  read: () => RemainingSteps,
): RemainingSteps {
  const holds = collector.calls === 'new' && names.some((name) => lastMemberOf(node, name) !== undefined);
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
  for (const [position, { key, value }] of node.members.entries()) {
    if (isStop(position)) yield;
    if (!names.includes(key.text)) continue;
    const at = { path: memberPath(place.path, key.text, position), role: place.role };
    for (const { name, nodes } of yield* tokensIn(value)) {
      const text = yield* joining(nodes.map((token) => token.text));
      const [start, last] = [nodes[0], nodes.at(-1)];
      if (text === '' || start === undefined || last === undefined) continue;
      const isCompared = compared++ < MOST_COMPARED;
      const repeats = isCompared ? yield* repetitionOf(text, collector.segments, first, end) : 'nothing';
      const own = { path: name === undefined ? at.path : `${at.path}.${name}`, role: at.role };
      collector.tokens({ text, place: own, repeats, node: () => collector.doc.textFrom(start, last, text) });
    }
    for (const node of yield* longAlternativesIn(value))
      collector.tokens({ text: node.text, place: at, repeats: 'alone', node: () => node });
  }
}

/** The chosen tokens of one list. */
interface Tokens {
  /** The name of the list; undefined if the log probabilities are the list. */
  readonly name: string | undefined;
  readonly nodes: readonly TextNode[];
}

/** The tokens of each list. Those that are strings of the list, and those that are members of its objects, are separate. */
function* tokensIn(value: JsonNode): Steps<Tokens[]> {
  const all: Tokens[] = [];
  for (const { name, items } of listsIn(value)) {
    const [strings, members]: [TextNode[], TextNode[]] = [[], []];
    for (const [index, item] of items.entries()) {
      // Cohere names the text of a token like any other text.
      const token = memberOf(item, 'token') ?? memberOf(item, 'text');
      if (isString(item)) strings.push(item);
      else if (isString(token)) members.push(token);
      if (isStop(index)) yield;
    }
    all.push({ name, nodes: strings }, { name, nodes: members });
  }
  return all;
}

function listsIn(
  value: JsonNode,
): readonly { readonly name: string | undefined; readonly items: readonly JsonNode[] }[] {
  if (isArray(value)) return [{ name: undefined, items: value.items }];
  if (!isObject(value)) return [];
  return value.members.flatMap(({ key: { text: name }, value: own }) => {
    if (isArray(own)) return LISTS.has(name) ? [{ name, items: own.items }] : [];
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

/** The long tokens that the model did not choose. */
function* longAlternativesIn(value: JsonNode): Steps<readonly TextNode[]> {
  const found: TextNode[] = [];
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

function* findingAlternatives(node: JsonNode, found: TextNode[]): Steps<void> {
  if (!isObject(node)) return;
  for (const { key, value } of node.members) {
    if (!ALTERNATIVES.has(key.text) || !isArray(value)) continue;
    for (const [index, item] of value.items.entries()) {
      // Gemini lists the alternatives of each token as `candidates`.
      const candidates = memberOf(item, 'candidates');
      for (const each of isArray(candidates) ? candidates.items : [item]) addAlternative(each, found);
      if (isStop(index)) yield;
    }
  }
}

/** Adds the token of an alternative, or the tokens that are the names of its members, as in completions. */
function addAlternative(node: JsonNode, found: TextNode[]): void {
  const token = memberOf(node, 'token');
  const tokens = isString(token) ? [token] : isObject(node) ? node.members.map(({ key }) => key) : [];
  for (const each of tokens) if (each.text.length > UNITS_OF_WORD) found.push(each);
}
