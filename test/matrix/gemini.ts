import { BINARY, type Planter } from './planter.js';

/** Requests and answers of Gemini's routes, with every field that can contain text. https://ai.google.dev/api/generate-content */

/** Spells a field in one of the two ways that Google's servers accept. */
type Spelling = (name: string) => string;
export const IN_CAMEL_CASE: Spelling = (name) => name;
export const IN_SNAKE_CASE: Spelling = (name) => name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

type Body = (p: Planter) => Record<string, unknown>;

function functionCall(p: Planter, as: Spelling, name: string, args: string): object {
  const called = p.name(name);
  const given = { [p.key('to')]: p.text(args), [p.key('list')]: [{ [p.key('cc')]: p.text(args) }, 1] };
  p.calls.push({ name: called, args: given });
  return {
    [as('functionCall')]: { id: 'call_1', name: called, args: given },
    [as('thoughtSignature')]: BINARY,
  };
}

/** Code that the model writes and the provider runs. */
function codeToRun(p: Planter, as: Spelling, location: string): object {
  p.calls.push({ name: 'code_execution', args: undefined });
  return { [as('executableCode')]: { [p.key('language')]: p.key('PYTHON'), [p.key('code')]: p.text(location) } };
}

function userParts(p: Planter, as: Spelling): object[] {
  const mimeType = as('mimeType');
  return [
    { text: p.text('user part') },
    { [as('inlineData')]: { [mimeType]: 'image/png', data: BINARY, [as('displayName')]: p.text('file name') } },
    {
      [as('fileData')]: {
        [mimeType]: 'video/mp4',
        [as('fileUri')]: p.text('image address'),
        [as('displayName')]: p.text('file name'),
      },
      [as('videoMetadata')]: { [as('startOffset')]: '1s', [as('endOffset')]: '2.5s', fps: 1 },
    },
  ];
}

function modelParts(p: Planter, as: Spelling): object[] {
  return [
    { text: p.text('reasoning'), thought: true },
    { text: p.text('assistant'), [as('thoughtSignature')]: BINARY },
    ...p.some(() => functionCall(p, as, 'past call name', 'past call arguments')),
    codeToRun(p, as, 'past call arguments'),
  ];
}

function toolParts(p: Planter, as: Spelling): object[] {
  const response = { [p.key('result')]: p.text('tool result') };
  return [
    {
      [as('functionResponse')]: { id: 'call_1', name: p.name('tool result name'), [p.key('response')]: response },
    },
    { [as('codeExecutionResult')]: { outcome: 'OUTCOME_OK', output: p.text('tool result') } },
  ];
}

function declaration(p: Planter): object {
  return {
    name: p.name('tool name'),
    description: p.text('tool description'),
    [p.key('parameters')]: { [p.key('type')]: p.key('OBJECT'), [p.key('properties')]: p.freeform('tool schema') },
  };
}

/** @param as the spelling of all fields */
export function geminiRequest(as: Spelling): Body {
  return (p) => ({
    [as('systemInstruction')]: { role: 'system', parts: [{ text: p.text('system') }] },
    contents: [
      ...p
        .some(() => [
          { role: 'user', parts: [{ text: p.text('earlier user') }] },
          { role: 'model', parts: modelParts(p, as) },
          { role: 'user', parts: toolParts(p, as) },
          { role: 'function', parts: [{ text: p.text('tool result') }] },
        ])
        .flat(),
      { parts: [{ text: p.text('user') }] },
      { role: 'user', parts: userParts(p, as) },
    ],
    tools: [
      ...p.some(() => ({ [as('functionDeclarations')]: p.some(() => declaration(p)) })),
      { [p.key(as('googleSearch'))]: {} },
    ],
    [p.key(as('toolConfig'))]: {
      [p.key(as('functionCallingConfig'))]: { [p.key('mode')]: p.key('AUTO') },
    },
    [as('safetySettings')]: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    [as('generationConfig')]: {
      temperature: 0.2,
      [as('maxOutputTokens')]: 100,
      [as('stopSequences')]: [p.text('unknown field')],
      [as('responseMimeType')]: 'application/json',
      [as('responseModalities')]: ['TEXT'],
      [as('thinkingConfig')]: { [as('thinkingBudget')]: 8, [as('thinkingLevel')]: 'LOW' },
      [p.key(p.chance(50) ? as('responseSchema') : as('responseJsonSchema'))]: p.freeform('output schema'),
    },
    ...p.unknown('unknown field'),
  });
}

/** A request of `countTokens`, which contains a complete other request. */
export const geminiCount =
  (as: Spelling): Body =>
  (p) => ({ [as('generateContentRequest')]: { model: 'models/gemini-2.5-flash', ...geminiRequest(as)(p) } });

function embedded(p: Planter, as: Spelling): Record<string, unknown> {
  return {
    model: 'models/gemini-embedding-001',
    content: { parts: [{ text: p.text('user') }] },
    [as('taskType')]: 'RETRIEVAL_DOCUMENT',
    [p.key('title')]: p.text('unknown field'),
    [as('outputDimensionality')]: 3,
  };
}

export const geminiEmbedding =
  (as: Spelling): Body =>
  (p) =>
    embedded(p, as);

export const geminiEmbeddings =
  (as: Spelling): Body =>
  (p) => ({ requests: p.some(() => embedded(p, as)) });

/** https://ai.google.dev/api/embeddings#EmbedContentResponse */
export const geminiVector: Body = (p) => ({
  [p.key('embedding')]: { [p.key('values')]: [0.1, 0.2] },
  ...p.unknown('answer field'),
});

interface Candidate {
  readonly content: { readonly role: string; readonly parts: readonly { readonly text?: string }[] };
  readonly index: number;
}

function candidate(p: Planter, as: Spelling, index: number): Candidate {
  const reasoning = p.text('answer reasoning');
  const parts = [
    { text: reasoning, thought: true },
    ...p.some(() => ({ text: p.text('answer') })),
    ...p.some(() => functionCall(p, as, 'new call name', 'new call arguments')),
    codeToRun(p, as, 'new call arguments'),
  ];
  return {
    content: { role: 'model', parts },
    index,
    [as('finishReason')]: 'STOP',
    [as('finishMessage')]: p.text('answer field'),
    [as('safetyRatings')]: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'NEGLIGIBLE' }],
    [as('logprobsResult')]: { [as('chosenCandidates')]: [{ token: reasoning.slice(0, 2), [as('tokenId')]: 3 }] },
    [p.key(as('groundingMetadata'))]: p.freeform('answer field'),
  };
}

export const geminiAnswer =
  (as: Spelling): Body =>
  (p) => ({
    candidates: p.chance(50) ? [candidate(p, as, 0)] : [candidate(p, as, 0), candidate(p, as, 1)],
    [as('usageMetadata')]: { [as('promptTokenCount')]: 3, [as('candidatesTokenCount')]: 1 },
    [as('modelVersion')]: 'gemini-2.5-flash',
    [as('responseId')]: 'resp_1',
    [as('createTime')]: '2026-11-21T10:00:00Z',
  });

/** An entry for each part or piece of its text; the last entry has the other fields. */
function entriesOf(answer: Record<string, unknown>): object[] {
  const { candidates, ...rest } = answer as { readonly candidates: readonly Candidate[] };
  const ofParts = candidates.flatMap(({ content: { role, parts }, index }) =>
    parts
      .flatMap((part) => {
        if (part.text === undefined) return [part];
        // The texts of parts are also read as one text, in which words must not touch.
        return `${part.text}\n`.match(/[^]{1,5}/g)!.map((text) => ({ ...part, text }));
      })
      .map((part) => ({ candidates: [{ content: { role, parts: [part] }, index }] })),
  );
  return [...ofParts, { candidates: candidates.map(({ content: _, ...others }) => others), ...rest }];
}

/** https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent */
export function geminiStream(answer: Record<string, unknown>): string {
  return entriesOf(answer)
    .map((entry) => `data: ${JSON.stringify(entry)}\r\n\r\n`)
    .join('');
}

/** The same stream for requests that do not ask for events: one JSON array of entries. */
export function geminiList(answer: Record<string, unknown>): string {
  return `[${entriesOf(answer)
    .map((entry) => JSON.stringify(entry))
    .join(',\r\n')}]`;
}
