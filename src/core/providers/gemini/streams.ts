import { itemPath } from '../../call/json-path.js';
import { isArray, memberOf, numberOf, stringOf, type JsonNode } from '../../json/json-node.js';
import { NEVER, PLAIN_EVENTS, type AnswerPart, type StreamFamily } from '../stream-family.js';

/**
 * Texts of calls, which one part contains completely. Arguments in pieces have other members (`partialArgs`), and requests that ask for
 * them are refused.
 */
const OF_WHOLE_CALL =
  /^candidates\[\d+\]\.content\.parts\[\d+\]\.(?:function(?:Call|_call)\.(?:id|name|args)|executable(?:Code|_code)\.(?:id|language|code))(?=[.[{]|$)/;

/** Entries of `streamGenerateContent`: https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent */
const CANDIDATES: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'generateContent',
  hasTypes: false,
  claims: (_, root) => memberOf(root, 'candidates') !== undefined,
  scopeOf: () => ({ key: 'candidates', type: '' }),
  // The client decides whether parts form one text: `response.text` joins them, a loop over parts does not.
  textsOf: () => ({ continuing: NEVER, open: /^candidates\[\d+\]\.content\.parts\[\]\.text$/ }),
  hasRulesOfAnswers: true,
  answerPath: (_, path) => path.replace(/^(candidates\[\d+\]\.content\.parts)\[\d+\]\.text$/, '$1[].text'),
  whole: OF_WHOLE_CALL,
  placeKey: ({ key }, path) => `${key}\n${path}`,
  partsOf,
};

function* partsOf(root: JsonNode): Generator<AnswerPart, void> {
  for (const [position, candidate] of itemsOf(memberOf(root, 'candidates')).entries()) {
    const list = `${itemPath('candidates', numberOf(candidate, 'index') ?? position)}.content.parts`;
    for (const [at, part] of itemsOf(memberOf(memberOf(candidate, 'content'), 'parts')).entries())
      yield { list, path: `${itemPath(list, numberOf(part, 'index') ?? at)}.text`, kind: kindOf(part) };
  }
}

function itemsOf(node: JsonNode | undefined): readonly JsonNode[] {
  return isArray(node) ? node.items : [];
}

function kindOf(part: JsonNode): string | undefined {
  if (stringOf(part, 'text') === undefined) return undefined;
  return memberOf(part, 'thought') === true ? 'thought' : 'text';
}

export const GEMINI_STREAMS: readonly StreamFamily[] = [CANDIDATES];
