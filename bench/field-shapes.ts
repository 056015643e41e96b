import type { FieldReaders } from '../src/core/call/call-collector.js';
import type { Dialect } from '../src/core/index.js';
import { DIALECTS } from '../src/core/providers/dialects.js';
import { PROVIDERS } from '../src/core/providers/providers.js';
import { FIELD_TABLES } from '../src/core/call/field-tables.js';
import type { Shape } from './shape.js';

/** A place in a call where the fields of a table can occur. */
interface Host {
  readonly dialect: Dialect;
  readonly direction: 'request' | 'answer';
  readonly place: string;
  readonly table: FieldReaders;
  body(fields: object): object;
}

/** Every table of field readers of all dialects and providers. */
export const TABLES: readonly FieldReaders[] = [
  ...new Set([
    ...FIELD_TABLES,
    ...Object.values(PROVIDERS).flatMap(({ fieldTables, streamFields }) => [...fieldTables, streamFields]),
    ...Object.values(DIALECTS).flatMap(({ request, answer }) =>
      [request.fields, answer.fields].filter((one) => one !== undefined),
    ),
  ]),
];

/** The smallest table that has all the given fields. */
function tableWith(...keys: readonly string[]): FieldReaders {
  const found = TABLES.filter((table) => keys.every((key) => table.has(key))).sort((a, b) => a.size - b.size);
  if (found[0] === undefined) throw new Error(`no table has ${keys.join()}`);
  return found[0];
}

const of = (
  dialect: Dialect,
  direction: Host['direction'],
  place: string,
  table: FieldReaders | undefined,
  body: Host['body'],
): Host => {
  if (table === undefined) throw new Error(`nothing is known of the fields of ${dialect}`);
  return { dialect, direction, place, table, body };
};
const chat = (place: string, table: FieldReaders, message: (fields: object) => object): Host =>
  of('openai.chat', 'request', place, table, (fields) => ({ messages: [message(fields)] }));
const gemini = (place: string, table: FieldReaders, part: (fields: object) => object): Host =>
  of('gemini.generate', 'request', place, table, (fields) => ({ contents: [{ role: 'user', parts: [part(fields)] }] }));
const user = (...content: object[]): object => ({ role: 'user', content });

/** The roots of all dialects' bodies, and the objects nested in them. */
const HOSTS: readonly Host[] = [
  ...(Object.keys(DIALECTS) as Dialect[]).flatMap((dialect): Host[] => {
    const { request, answer } = DIALECTS[dialect];
    const wrap = (fields: object): object => (dialect.startsWith('weir.') ? { payload: fields } : fields);
    return [
      ...(request.fields === undefined ? [] : [of(dialect, 'request', '', request.fields, wrap)]),
      ...(answer.fields === undefined ? [] : [of(dialect, 'answer', '', answer.fields, wrap)]),
    ];
  }),
  chat('messages[].', tableWith('refusal', 'reasoning'), (fields) => ({ role: 'user', ...fields })),
  chat('tool_calls[].', tableWith('outputs', 'results'), (fields) => ({
    role: 'assistant',
    tool_calls: [{ type: 'function', function: { name: 'f', arguments: '{}' }, ...fields }],
  })),
  chat('tool message.', tableWith('refusal', 'output'), (fields) => ({ role: 'tool', ...fields })),
  chat('file.', tableWith('transcript'), (fields) => user({ type: 'file', file: fields })),
  chat(
    'source.',
    TABLES.find((table) => table.has('data') && !table.has('content') && !table.has('mimeType'))!,
    (fields) => user({ type: 'document', source: { type: 'text', ...fields } }),
  ),
  of('openai.chat', 'request', 'tools[].', tableWith('description', 'function'), (fields) => ({
    messages: [],
    tools: [{ type: 'function', ...fields }],
  })),
  of('openai.chat', 'answer', 'choices[].', tableWith('message', 'delta'), (fields) => ({ choices: [fields] })),
  of('openai.embeddings', 'answer', 'data[].', tableWith('embedding'), (fields) => ({
    data: [{ embedding: [], ...fields }],
  })),
  gemini('parts[].', tableWith('videoMetadata'), (fields) => fields),
  gemini('inlineData.', tableWith('displayName'), (inlineData) => ({ inlineData })),
  gemini('codeExecutionResult.', tableWith('outcome'), (codeExecutionResult) => ({ codeExecutionResult })),
  of('gemini.generate', 'request', 'contents[].', tableWith('parts', 'role'), (fields) => ({ contents: [fields] })),
  of('gemini.generate', 'request', 'tools[].', tableWith('functionDeclarations'), (fields) => ({
    contents: [],
    tools: [fields],
  })),
  of('gemini.generate', 'request', 'functionDeclarations[].', tableWith('name', 'description'), (fields) => ({
    contents: [],
    tools: [{ functionDeclarations: [fields] }],
  })),
  of('gemini.generate', 'request', 'generationConfig.', tableWith('stopSequences'), (generationConfig) => ({
    contents: [],
    generationConfig,
  })),
  of('gemini.generate', 'answer', 'candidates[].', tableWith('finishMessage'), (fields) => ({ candidates: [fields] })),
];

const each = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
/** Forms of values that can have any number of entries. */
const FORMS: Readonly<Record<string, { readonly nodes: number; make(entries: number): unknown }>> = {
  'list of texts': { nodes: 1, make: (n) => each(n, (i) => `marked ${i}`) },
  'list of objects': { nodes: 4, make: (n) => each(n, (i) => ({ type: 'text', text: `marked ${i}` })) },
  map: { nodes: 2, make: (n) => Object.fromEntries(each(n, (i) => [`key_${i}`, `marked ${i}`])) },
};

/** One field for each different reader, in every form; fields with the same reader would take the same time. */
export const FIELD_SHAPES: readonly Shape[] = (() => {
  const seen = new Set<unknown>();
  return HOSTS.flatMap(({ dialect, direction, place, table, body }) =>
    [...table].flatMap(([key, reader]): Shape[] => {
      if (seen.has(reader)) return [];
      seen.add(reader);
      return Object.entries(FORMS).map(([form, { nodes, make }]) => ({
        name: `${dialect} ${direction} ${place}${key} as ${form}`,
        dialect,
        direction,
        nodes,
        isOnlyRead: true,
        body: (entries) => body({ [key]: make(entries) }),
      }));
    }),
  );
})();
