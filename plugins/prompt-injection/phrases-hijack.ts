import { isBadge, isDirectiveOrBackground, isTaskOfAuthors } from './harmless-places.js';
import { except, phrase, raw, type PhrasePattern } from './phrase.js';

const CODE = 'tool_hijack';
const MODEL =
  '(?:ai|llm|large language model|language model|chatbot|assistant|bot|agent|gpt|chatgpt|claude|bard|gemini)';
const PLACE = '(?:[a-z0-9._%+-]{1,40}@[a-z0-9.-]{3,40}|https?[^\\s]{4,60}|www[^\\s]{4,60}|my (?:new |other )?e-?mail)';

/** The position where a field of JSON, or of a printed dictionary, begins with a request. */
const REQUEST =
  /(?:please|kindly|can you|could you|would you|will you|i need you to|i want you to|i'd like you to|let's|help me)\s[a-z]{2,12}\s/;
/** Tasks on another text, such as a translation, where that text contains orders itself. */
const REWORK = String.raw`(?:translate|paraphrase|refine|polish|rewrite|summari[sz]e|proofread|improve) the (?:following|above|below) (?:sentences?|paragraphs?|texts?|contents?|passages?)`;
const REWORK_WORDS = [
  'translate the',
  'paraphrase the',
  'refine the',
  'polish the',
  'rewrite the',
  'summarize the',
  'summarise the',
  'proofread the',
  'improve the',
];
const ORDER = '(?:write|say|print|ignore|output|generate|compose|create|answer|respond|repeat|forget|disregard)';

/** Text in a document or tool result that addresses the model or makes it act. */
export const HIJACK_PHRASES: readonly PhrasePattern[] = [
  raw(
    CODE,
    0.6,
    ["': '", '\': "', '": "', '": \'', '":"'],
    new RegExp(`["']\\s{0,2}:\\s{0,2}["']${REQUEST.source}`, 'i'),
  ),
  raw(
    CODE,
    0.6,
    REWORK_WORDS,
    new RegExp(`${REWORK}[^\\n]{0,40}\\n{1,3}(?:sentences?|paragraphs?|texts?|contents?)?:?\\s{0,2}${ORDER}\\s`, 'i'),
  ),
  raw(CODE, 0.6, REWORK_WORDS, new RegExp(`(?:^|\\n|:\\s)${ORDER}\\s[^\\n]{4,300}\\n{1,3}${REWORK}`, 'i'), 320),
  raw(
    CODE,
    0.9,
    ['<information', '</information', '<important', '<system-reminder', '<instructions'],
    /<\/?(?:information|important|system-reminder|instructions?)>/i,
  ),
  phrase(
    CODE,
    0.85,
    ['if you are', "if you're", 'dear', 'hey', 'attention', 'hello', 'hi '],
    `(?:if you(?: are|'re) (?:reading this and (?:are )?)?an? ${MODEL}|(?:dear|hey|attention|hello|hi) ${MODEL}(?: model| assistant)?)`,
  ),
  phrase(
    CODE,
    0.7,
    ['note', 'message', 'reminder', 'instruction'],
    `(?:note|message|reminder|instructions?) (?:to|for) (?:the |all |any )?(?:${MODEL}|reviewer|summari[sz]er)s?`,
  ),
  phrase(
    CODE,
    0.75,
    ['tool', 'function', 'api', 'plugin'],
    '(?:you (?:must|should|need to|have to)|please|now|immediately|then|first|instead) (?:call|use|invoke|execute|run|trigger) (?:the |my |your |this )?[a-z_]{3,40} (?:tool|function|api|plugin)',
    80,
  ),
  except(
    raw(
      CODE,
      0.85,
      ['![', '<img'],
      /!\[[^\]\n]{0,80}\]\(https?:\/\/[^\s)]{4,200}[?&][\w.-]{1,30}=(?:\{|\[|<|%7b|\$|data|secret|summary|conversation|prompt|password|history|user)|<img[^>\n]{1,200}src\s?=\s?["']?https?:\/\/[^\s"'>]{4,200}[?&][\w.-]{1,30}=(?:\{|\[|<|%7b|\$|data|secret|summary|conversation|prompt|password|history)/i,
    ),
    isBadge,
  ),
  except(
    raw(
      CODE,
      0.8,
      ['<!--', 'display:none', 'display: none', 'font-size:0', 'font-size: 0', 'color:white', 'color: white'],
      /(?:<!--|display:\s?none|font-size:\s?0|color:\s?white)[^\n]{0,120}?(?:ignore|assistant|you must|prompt|ai model|llm|language model|as an ai|say that|recommend)/i,
    ),
    isDirectiveOrBackground,
  ),
  phrase(
    CODE,
    0.6,
    ['send', 'forward', 'email', 'e-mail', 'upload', 'transmit', 'exfiltrate', 'leak'],
    `(?:send(?:ing)?|forward|e-?mail|upload|transmit|exfiltrate|leak) (?:<w> ){0,8}?(?:all|every|entire|whole|history|conversation|passwords?|credentials?|secrets?|private|confidential|personal|contacts?|details?|data|information|messages?|security code|medical|records?|addresses|payment methods?) (?:<w> ){0,10}?(?:to|at|via) ${PLACE}`,
  ),
  phrase(
    CODE,
    0.7,
    [
      'without telling',
      'without informing',
      'without asking',
      'not tell',
      "don't tell",
      'not inform',
      'not mention',
      "don't mention",
      'without the user',
      'never tell',
      'without notifying',
    ],
    "(?:without (?:telling|informing|asking|notifying|alerting) (?:the )?(?:user|me|anyone|human|them)|(?:do not|don't|never) (?:tell|inform|mention|notify|alert)(?: this| it| that)?(?: to)? (?:the )?(?:user|human|anyone|customer)|without the user(?:'s)? (?:knowing|knowledge|noticing|consent))",
    8,
  ),
  except(
    raw(
      CODE,
      0.6,
      ['todo:', 'to-do:', 'action required:'],
      /(?:^|\n)\s{0,4}(?:todo|to-do|action required)\s?:\s{1,3}(?:send|visit|invite|create|make|get|say|delete|transfer|forward|update|change|add|share|post|concatenate|please|reserve|book|pay|give|tell|email|call)\b/i,
      6,
    ),
    isTaskOfAuthors,
  ),
];
