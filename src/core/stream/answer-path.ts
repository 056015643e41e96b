import type { Segment } from '../model/call.js';
import type { PieceKind, Scope } from './scope.js';
import { CANDIDATES, CHOICES, continuationOf } from './continuing-texts.js';

/** Texts of the Responses API that come in pieces: in what member of their item they are found when it is complete. */
const RESPONSE_TEXTS: Readonly<Record<string, (part: number) => string>> = {
  output_text: (part) => `content[${part}].text`,
  refusal: (part) => `content[${part}].refusal`,
  reasoning_text: (part) => `content[${part}].text`,
  reasoning_summary_text: (part) => `summary[${part}].text`,
};
const RESPONSE_TEXT_EVENT = /^response\.([a-z_]+)\.(?:delta|done)$/;
const RESPONSE_PARTS: Readonly<Record<string, string>> = {
  'response.content_part': 'content',
  'response.reasoning_summary_part': 'summary',
};

/** The path that the text would have in the answer had it not been streamed. */
export function answerPath(scope: Scope, path: string): string {
  const { type, index } = scope;
  if (type.startsWith('content_block_') && index !== undefined) {
    const inBlock = path.replace(/^(?:delta|content_block)\b/, '').replace('.partial_json', '.input');
    return `content[${index}]${inBlock}`;
  }
  if (type.startsWith('response.') && index !== undefined) return `output[${index}]${pathInItem(scope, path)}`;
  if (scope.key === CANDIDATES) return path.replace(/^(candidates\[\d+\]\.content\.parts)\[\d+\]\.text$/, '$1[].text');
  return path.replace(/^(choices\[\d+\])\.delta\b/, '$1.message').replace(/^(?:response|message)\./, '');
}

/** https://platform.openai.com/docs/api-reference/responses-streaming */
function pathInItem({ type, part = 0 }: Scope, path: string): string {
  const name = RESPONSE_TEXT_EVENT.exec(type)?.[1] ?? '';
  const isText = path === 'delta' || path === (name === 'refusal' ? 'refusal' : 'text');
  if (isText && Object.hasOwn(RESPONSE_TEXTS, name)) return `.${RESPONSE_TEXTS[name]!(part)}`;
  const list = RESPONSE_PARTS[type.replace(/\.(?:added|done)$/, '')];
  if (list !== undefined && path.startsWith('part.')) return `.${list}[${part}]${path.slice('part'.length)}`;
  return path.replace(/^item\b/, '').replace(/^(?=[^.[{])/, '.');
}

const IN_MESSAGE = /^choices\[\d+\]\.message\b/;
/** What a message, an item or a part says; what else it has is told as a whole. */
const TOLD_TEXT =
  /^choices\[\d+\]\.message\.(?:content|refusal|reasoning|reasoning_content|thinking)$|^output\[\d+\]\.(?:content|summary)\[\d+\]\.(?:text|refusal|transcript)$/;

/** Equal for texts that clients put together, or take for each other. */
export function placeKey(scope: Scope, path: string, { path: own, role }: Segment): string {
  if (isPlacedResponse(scope, path) && role !== 'tool_call') return `response\n${path}`;
  const joins = scope.key === CHOICES || scope.key === CANDIDATES || scope.type.startsWith('content_block_');
  return `${scope.key}\n${joins ? path : own}`;
}

/** How a text that may go on does so. */
export function kindOfText(scope: Scope, { path: own, role }: Segment): Exclude<PieceKind, 'whole'> {
  const isTool = role === 'tool_call';
  if (scope.key === CHOICES && IN_MESSAGE.test(own)) return isTool || TOLD_TEXT.test(own) ? 'repeat' : 'retold';
  const path = answerPath(scope, own);
  if (!isTool && !scope.type.endsWith('.delta') && isPlacedResponse(scope, path)) {
    if (!TOLD_TEXT.test(path)) return 'retold';
    return scope.type.endsWith('.added') ? 'beginning' : 'repeat';
  }
  const kind = continuationOf(scope, scope.key === CANDIDATES ? path : own);
  // Clients differ in what they make of a call that is told twice: its texts are read every way.
  return isTool && kind === 'retold' ? 'either' : kind;
}

/** Whether it is a text of the Responses API that several events tell, piece by piece and as a whole. */
function isPlacedResponse({ type, index }: Scope, path: string): boolean {
  if (!type.startsWith('response.')) return false;
  if (index === undefined) return path.startsWith('output[');
  return type.startsWith('response.output_item.') || /^output\[\d+\]\.(?:content|summary)\[\d+\]/.test(path);
}
