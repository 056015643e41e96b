import { itemPath } from '../../call/json-path.js';
import { indexIn, isArray, memberOf, stringOf, type JsonNode } from '../../json/json-node.js';
import { NEVER, PLAIN_EVENTS, type AnswerPart, type StreamFamily } from '../stream-family.js';

/**
 * Texts of calls, which one part contains completely. Arguments in pieces have other members (`partialArgs`), and requests that ask for
 * them are refused.
 */
const OF_WHOLE_CALL =
  /^candidates\[\d+\]\.content\.parts\[\d+\]\.(?:function(?:Call|_call)\.(?:id|name|args)|executable(?:Code|_code)\.(?:id|language|code))(?=[.[{]|$)/;

/** The text of an answer, and the tokens of its log probabilities. */
const OF_CANDIDATES =
  /^candidates\[\d+\]\.(?:content\.parts\[\]\.text|logprobs(?:Result|_result)\.chosen(?:Candidates|_candidates)(?:\.\w+)?)$/;

/** Entries of `streamGenerateContent`: https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent */
const CANDIDATES: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'generateContent',
  hasTypes: false,
  claims: (_, root) => memberOf(root, 'candidates') !== undefined,
  scopeOf: () => ({ key: 'candidates', type: '' }),
  // The client decides whether parts form one text: `response.text` joins them, a loop over parts does not.
  textsOf: () => ({ continuing: NEVER, open: OF_CANDIDATES }),
  hasRulesOfAnswers: true,
  answerPath: (_, path) => path.replace(/^(candidates\[\d+\]\.content\.parts)\[\d+\]\.text$/, '$1[].text'),
  whole: OF_WHOLE_CALL,
  placeKey: ({ key }, path) => `${key}\n${path}`,
  partsOf,
};

function* partsOf(root: JsonNode): Generator<AnswerPart, void> {
  for (const [position, candidate] of itemsOf(memberOf(root, 'candidates')).entries()) {
    const list = `${itemPath('candidates', indexIn(candidate, 'index') ?? position)}.content.parts`;
    for (const [at, part] of itemsOf(memberOf(memberOf(candidate, 'content'), 'parts')).entries())
      yield { list, path: `${itemPath(list, indexIn(part, 'index') ?? at)}.text`, kind: kindOf(part) };
  }
}

function itemsOf(node: JsonNode | undefined): readonly JsonNode[] {
  return isArray(node) ? node.items : [];
}

function kindOf(part: JsonNode): string | undefined {
  if (stringOf(part, 'text') === undefined) return undefined;
  return memberOf(part, 'thought') === true ? 'thought' : 'text';
}

const isStep = (type: string): boolean => /^step\.(?:start|delta|stop)$/.test(type);

/** The type of an event of an interaction, which has no member `type`. */
function typeOfStep(type: string, root: JsonNode | undefined): string {
  return stringOf(root, 'event_type') ?? type;
}

/** Steps of interactions, each with an index: https://ai.google.dev/api/interactions-api */
const STEPS: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'steps of interactions',
  claims: (type, root) => isStep(typeOfStep(type, root)) && indexIn(root, 'index') !== undefined,
  scopeOf: ({ type, root }) => {
    const own = typeOfStep(type, root);
    const index = indexIn(root, 'index');
    return { key: JSON.stringify([own, index ?? '']), type: own, ...(index === undefined ? {} : { index }) };
  },
  textsOf: () => ({ continuing: /^delta\.(?:text|arguments)$/, open: /(?:)/ }),
  whole: /^event_(?:type|id)$/,
  answerPath: ({ index }, path) =>
    index === undefined ? path : `steps[${index}]${path.replace(/^(?:step|delta)\b/, '').replace(/^(?=[^.[{])/, '.')}`,
  endedBy: (type, _, root) => (type === 'step.stop' && indexIn(root, 'index') !== undefined ? 'block' : undefined),
  blockOf: (type) => (isStep(type) ? 'step' : undefined),
  begins: (type) => type === 'step.start' || PLAIN_EVENTS.begins(type),
  restarts: (type) => (type === 'step.start' ? 'block' : undefined),
  continuesCall: (type, key) => type === 'step.delta' && key === 'arguments',
  callPath: ({ index }, path) => (index === undefined ? path : `steps[${index}]`),
  callPlace: /^steps\[\d+\]/,
};

export const GEMINI_STREAMS: readonly StreamFamily[] = [STEPS, CANDIDATES];
