/** The parts of a stored message: texts, reasoning, calls of tools and their results, and files; for every provider's format. */
import { fileOf, type FilePart } from './conversation-files.ts';
import { isFields, memberOf, type Fields } from './conversation-fields.ts';

export type Part =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string; readonly path: string }
  | ToolPart
  | ResultPart
  | ValuePart
  | FilePart
  | { readonly kind: 'other'; readonly name: string };

interface ToolPart {
  readonly kind: 'tool';
  readonly name: string;
  readonly value: unknown;
  readonly path: string;
  /** The id by which the result names the call. */
  readonly id?: string | undefined;
}

export interface ResultPart {
  readonly kind: 'result';
  /** The name of the tool; undefined: unknown. */
  readonly from?: string | undefined;
  /** The id of the call. */
  readonly id?: string | undefined;
  readonly parts: readonly Part[];
}

/** Data that is neither a text nor a list of parts, such as the content of a result. */
interface ValuePart {
  readonly kind: 'value';
  readonly value: unknown;
  readonly path: string;
  /** The kind of a part that has no view of its own: the part is folded under this name. */
  readonly name?: string;
}

const ENCRYPTED: Part = { kind: 'other', name: 'encrypted reasoning' };
const wordOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const text = (value: string, path: string): Part => ({ kind: 'text', text: value, path });

/** A call of a tool. @param id by which its result names the call */
export const tool = (name: unknown, value: unknown, path: string, id?: unknown): Part => ({
  kind: 'tool',
  name: wordOf(name) ?? 'tool',
  value: value ?? {},
  path,
  id: wordOf(id),
});

/** The result of a tool, which names the tool, or the id of the call, or neither. */
export const result = (from: unknown, id: unknown, content: unknown, path: string): ResultPart => ({
  kind: 'result',
  from: wordOf(from),
  id: wordOf(id),
  parts: contentOfResult(content, path),
});

function contentOfResult(content: unknown, path: string): readonly Part[] {
  if (content === undefined || content === null) return [];
  const parts = isFields(content) ? [] : partsOf(content, path);
  const isEmpty = content === '' || (typeof content === 'object' && Object.keys(content).length === 0);
  return parts.length > 0 || isEmpty ? parts : [{ kind: 'value', value: content, path }];
}

/** The parts of a content: a text, a list of parts, or data in another form. */
export function partsOf(content: unknown, path: string): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [text(content, path)];
  if (!Array.isArray(content)) return isFields(content) ? [tool('data', content, path)] : [];
  return content.flatMap((part: unknown, index) => partOf(part, `${path}[${index}]`));
}

/** One part of a content: none if nothing in it can be shown, several if it contains others. */
export function partOf(part: unknown, at: string): readonly Part[] {
  if (typeof part === 'string') return [text(part, at)];
  if (!isFields(part)) return [];
  const type = wordOf(part['type']) ?? '';
  if (typeof part['text'] === 'string') {
    const isReasoning = part['thought'] === true || type.startsWith('reasoning');
    return [{ kind: isReasoning ? 'reasoning' : 'text', text: part['text'], path: `${at}.text` }];
  }
  if (type === 'redacted_thinking' || type.endsWith('.encrypted')) return [ENCRYPTED];
  if (type.endsWith('thinking')) return reasoningOrEncrypted(reasoning(part['thinking'], `${at}.thinking`));
  if (type === 'reasoning.summary') return reasoning(part['summary'], `${at}.summary`);
  if (type === 'refusal') return partsOf(part['refusal'], `${at}.refusal`);
  if (type.endsWith('tool_use')) return [tool(part['name'], part['input'], `${at}.input`, part['id'])];
  if (type.endsWith('tool_result')) return [result(undefined, part['tool_use_id'], part['content'], `${at}.content`)];
  return partOfGemini(part, at) ?? partOfBedrock(part, at) ?? filesOf(part, at) ?? otherPart(part, type, at);
}

/** The text of a provider's reasoning, or its parts. */
export function reasoning(content: unknown, path: string): readonly Part[] {
  return partsOf(content, path).map((part): Part => (part.kind === 'text' ? { ...part, kind: 'reasoning' } : part));
}

/** Without a text, a provider returns reasoning in a form that only it can decrypt. */
export const reasoningOrEncrypted = (parts: readonly Part[]): readonly Part[] =>
  parts.length > 0 ? parts : [ENCRYPTED];

/** A part of another kind is shown as data, so that neither its texts nor their masks are hidden. */
function otherPart(part: Fields, type: string, at: string): readonly Part[] {
  const [first] = Object.keys(part);
  return first === undefined ? [] : [{ kind: 'value', value: part, path: at, name: type === '' ? first : type }];
}

/** A file; a document of Anthropic or Bedrock may consist of text, or of parts. */
function filesOf(part: Fields, at: string): readonly Part[] | undefined {
  const { source, document: paper } = part;
  if (isFields(source) && source['type'] === 'text') return partsOf(source['data'], `${at}.source.data`);
  if (isFields(source) && source['type'] === 'content') return partsOf(source['content'], `${at}.source.content`);
  const inPaper = isFields(paper) ? paper['source'] : undefined;
  const written = isFields(inPaper) ? memberOf(inPaper, ['text', 'content']) : undefined;
  if (written !== undefined) return partsOf(written.value, `${at}.document.source.${written.name}`);
  const file = fileOf(part, at);
  return file === undefined ? undefined : [file];
}

/** A part that its only member names: https://ai.google.dev/api/caching#Part; undefined: it has none of these members. */
function partOfGemini(part: Fields, at: string): readonly Part[] | undefined {
  const call = memberOf(part, ['functionCall', 'function_call']);
  if (isFields(call?.value))
    return [tool(call.value['name'], call.value['args'], `${at}.${call.name}.args`, call.value['id'])];
  const response = memberOf(part, ['functionResponse', 'function_response']);
  if (isFields(response?.value)) {
    const { name, id, response: content } = response.value;
    return [result(name, id, content, `${at}.${response.name}.response`)];
  }
  const code = memberOf(part, ['executableCode', 'executable_code']);
  if (isFields(code?.value)) return [tool('code', code.value, `${at}.${code.name}`)];
  const output = memberOf(part, ['codeExecutionResult', 'code_execution_result']);
  if (isFields(output?.value))
    return [result('code', undefined, output.value['output'], `${at}.${output.name}.output`)];
  return undefined;
}

/**
 * A part of Bedrock's Converse, which its only member names; undefined: it has none of these members.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 */
function partOfBedrock(part: Fields, at: string): readonly Part[] | undefined {
  const { toolUse: call, toolResult: answer, reasoningContent: thought, guardContent: guarded } = part;
  if (isFields(call)) return [tool(call['name'], call['input'], `${at}.toolUse.input`, call['toolUseId'])];
  if (isFields(answer)) return [result(undefined, answer['toolUseId'], answer['content'], `${at}.toolResult.content`)];
  if (isFields(thought)) {
    const { reasoningText: said } = thought;
    const path = `${at}.reasoningContent.reasoningText.text`;
    return reasoningOrEncrypted(isFields(said) ? reasoning(said['text'], path) : []);
  }
  if (isFields(guarded)) {
    const { text: said } = guarded;
    const path = `${at}.guardContent`;
    return isFields(said) ? partsOf(said['text'], `${path}.text.text`) : partOf(guarded, path);
  }
  const quoted = memberOf(part, ['citationsContent', 'searchResult']);
  if (isFields(quoted?.value)) return partsOf(quoted.value['content'], `${at}.${quoted.name}.content`);
  const { json } = part;
  if (json !== undefined && Object.keys(part).length === 1) return [{ kind: 'value', value: json, path: `${at}.json` }];
  // It only says up to where the provider caches the conversation.
  return isFields(part['cachePoint']) ? [] : undefined;
}
