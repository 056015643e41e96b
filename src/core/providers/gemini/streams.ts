import { memberOf } from '../../json/json-node.js';
import { NEVER, PLAIN_EVENTS, type StreamFamily } from '../stream-family.js';

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
  placeKey: ({ key }, path) => `${key}\n${path}`,
};

export const GEMINI_STREAMS: readonly StreamFamily[] = [CANDIDATES];
