import type { PieceKind, Scope } from './scope.js';

/** A family of events, and which of their texts go on in other events. */
export interface StreamDialect {
  readonly name: string;
  /** Paths whose texts go on, as the provider documents it. */
  readonly continuing: RegExp;
  /** Paths of which nobody says whether they go on. */
  readonly open: RegExp;
}

/** What the scope of events with choices is called: clients put their texts together whatever else the events say. */
export const CHOICES = 'choices';
/** The same for Gemini's candidates: clients join the texts of all parts. */
export const CANDIDATES = 'candidates';
/** Members of a message that are told as wholes, whichever vendor streams them. */
const TOLD_WHOLE =
  /(?:^|\.)(?:annotations|citations|search_results|images|sources|references|url_citation|audio\.id)\b/;
const NEVER = /(?!)/;

/** Chat completions and completions, of OpenAI and of all who speak like it. */
const OF_CHOICES: StreamDialect = {
  name: 'chat completions, completions',
  continuing:
    /^choices\[\d+\]\.(?:text|delta\.(?:content|refusal|reasoning|reasoning_content|thinking|audio\.transcript|(?:content|thinking|reasoning_details)\[\d+\]\.(?:text|summary|refusal)|content\[\d+\]\.thinking(?:\[\d+\]\.text)?|function_call\.arguments|tool_calls\[\d+\]\.(?:function\.arguments|custom\.input)))$/,
  open: /^choices\[\d+\]\./,
};
/** Blocks of Anthropic's messages. */
const OF_BLOCKS: StreamDialect = {
  name: 'messages',
  continuing: /^(?:content_block|delta)\.(?:text|thinking|content|partial_json)$/,
  open: /^(?:content_block|delta)\.[^.[{]+$/,
};
/** OpenAI's Responses: what a `…delta` event tells goes on. */
const OF_RESPONSES: StreamDialect = {
  name: 'responses',
  continuing: /^delta(?:\.text)?$/,
  open: /^delta\b/,
};
/** Runs of the Assistants API. */
const OF_THREADS: StreamDialect = {
  name: 'assistants',
  continuing:
    /^delta\.(?:content\[\d+\]\.(?:text\.value|refusal)|step_details\.tool_calls\[\d+\]\.(?:function\.arguments|code_interpreter\.input))$/,
  open: /^delta\.(?:content\[\d+\]|step_details\.tool_calls\[\d+\])\.(?:[^.[{]+|function\.[^.[{]+|code_interpreter\.[^.[{]+)$/,
};
/** Gemini. Whether parts are one text is the client's choice: `response.text` joins them, a loop over parts does not. */
const OF_CANDIDATES: StreamDialect = {
  name: 'generateContent',
  continuing: NEVER,
  open: /^candidates\[\d+\]\.content\.parts\[\]\.text$/,
};
/** Events that say what one of the named families does beside its texts. */
const TOLD_ONCE: StreamDialect = { name: 'others of the named families', continuing: NEVER, open: NEVER };
const UNKNOWN: StreamDialect = { name: 'unknown events', continuing: NEVER, open: /(?:)/ };

/** In which documents the events of a stream are written down, by what the events say. */
export function dialectOf({ key, type }: Scope): StreamDialect {
  if (key === CHOICES) return OF_CHOICES;
  if (key === CANDIDATES) return OF_CANDIDATES;
  if (type.startsWith('content_block_')) return OF_BLOCKS;
  if (type.startsWith('response.')) return type.endsWith('.delta') ? OF_RESPONSES : TOLD_ONCE;
  if (type.startsWith('thread.')) return type.endsWith('.delta') ? OF_THREADS : TOLD_ONCE;
  return /^(?:message_(?:start|delta|stop)|ping|error)$/.test(type) ? TOLD_ONCE : UNKNOWN;
}

/** How a text of an event goes on. */
export function continuationOf(scope: Scope, path: string): Extract<PieceKind, 'piece' | 'either' | 'retold'> {
  const { continuing, open } = dialectOf(scope);
  if (continuing.test(path)) return 'piece';
  return open.test(path) && !TOLD_WHOLE.test(path) ? 'either' : 'retold';
}
