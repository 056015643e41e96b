/**
 * The provider Google Gemini: routes, readers of bodies, usage, error frames. Its fields have two spellings, camel case and snake case.
 */
import { stringOf } from '../../json/json-node.js';
import type { FramePlace, Provider } from '../provider.js';
import { GEMINI_FIELD_TABLES, GEMINI_OWN_ANSWER_FIELDS, isPicture, isToolAnswer, namesFile } from './fields.js';
import { GEMINI_STREAMS } from './streams.js';
import { geminiUsage } from './usage.js';
import { spellings } from './spellings.js';

export * from './dialects.js';

/** Gemini's API at Google AI Studio and at compatible services: https://ai.google.dev/api */
export const GEMINI: Provider = {
  name: 'Gemini',
  telemetryName: 'gcp.gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  clientWritesVersion: true,
  error: geminiError,
  errorFrame,
  requestIdHeader: undefined,
  keepAlive: (header) => (readsOnlyEvents(header) ? undefined : '\n\n'),
  headers: [],
  // https://cloud.google.com/apis/docs/system-parameters, and the sizes of the Files API: https://ai.google.dev/api/files
  plainHeaders: [
    ['x-goog-user-project', /^[0-9]{6,12}$/],
    ['x-goog-upload-header-content-length', /^[0-9]{1,12}$/],
    ['x-goog-upload-offset', /^[0-9]{1,12}$/],
  ],
  // https://cloud.google.com/apis/docs/system-parameters
  credentialParameters: ['key', '$key', 'access_token', '$access_token', 'oauth_token', '$oauth_token'],
  apiRoutes: [
    { path: '/v1beta/models/{model}:generateContent', summary: 'Generates content.' },
    { path: '/v1beta/models/{model}:streamGenerateContent', summary: 'Generates content, streamed.' },
    { path: '/v1beta/models/{model}:countTokens', summary: 'Counts the tokens of contents.' },
    { path: '/v1beta/models/{model}:embedContent', summary: 'Embeds one content.' },
    { path: '/v1beta/models/{model}:batchEmbedContents', summary: 'Embeds contents.' },
  ],
  // Some models send a finish reason with every entry, so only the end of the stream ends an answer.
  isLast: () => false,
  streams: GEMINI_STREAMS,
  usageMembers: spellings('usageMetadata'),
  usage: geminiUsage,
  modelMembers: spellings('modelVersion'),
  fieldTables: GEMINI_FIELD_TABLES,
  streamFields: GEMINI_OWN_ANSWER_FIELDS,
  conversations: { contents: (node) => (stringOf(node, 'role') ?? 'user') === 'user' && !isToolAnswer(node) },
  isPicture,
  namesFile,
};

/**
 * Google's older clients for JavaScript, by their names in headers: `@google/generative-ai` (also below LangChain), Firebase, and
 * `@google-cloud/vertexai`.
 */
const OLDER_CLIENT = /(?:^|\s)(?:genai-js|fire|model-builder)\//;

/**
 * Whether a client reads nothing but events with data. The current clients (`@google/genai`, `google-genai` for Python) ignore empty
 * lines, but read a comment as invalid JSON, and with an event without candidates a chat would lose the answer. The older clients expect
 * `data: ` at the beginning of everything that they have not read yet, and would lose the rest of the stream after an empty line.
 */
function readsOnlyEvents(header: (name: string) => string | undefined): boolean {
  return ['x-goog-api-client', 'user-agent'].some((name) => OLDER_CLIENT.test(header(name) ?? ''));
}

const OF_INTERACTIONS = /\/interactions(?:[/?;:]|$)/i;

/**
 * An error in a stream. The official clients raise an exception on an entry with an `error` that has a numeric code. In the stream of an
 * interaction, they return it as an event, which programs recognise by its type: https://ai.google.dev/api/interactions-api
 */
function errorFrame(error: Parameters<Provider['error']>[0], { path }: FramePlace): string {
  const type = OF_INTERACTIONS.test(path) ? { event_type: 'error' } : {};
  return `data: ${JSON.stringify({ ...type, ...geminiError(error) })}\n\n`;
}

/**
 * The form of Google's errors: https://cloud.google.com/apis/design/errors#error_model. Weir's part is the detail of type `weir`; it is
 * repeated as `error.weir`, where refusals in the other formats have it.
 */
function geminiError({ type, message, status, requestId, weir }: Parameters<Provider['error']>[0]): object {
  return {
    error: {
      code: status,
      message,
      status: statusName(status),
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: type.toUpperCase(),
          domain: 'weir',
          metadata: { request_id: requestId, ...(weir.event_id === undefined ? {} : { event_id: weir.event_id }) },
        },
        { '@type': 'weir', ...weir },
      ],
      weir,
    },
  };
}

/** Google's status name for this HTTP status: https://cloud.google.com/apis/design/errors#handling_errors */
function statusName(status: number): string {
  switch (status) {
    case 401:
      return 'UNAUTHENTICATED';
    case 402:
    case 403:
      return 'PERMISSION_DENIED';
    case 404:
      return 'NOT_FOUND';
    case 409:
      return 'ABORTED';
    case 429:
      return 'RESOURCE_EXHAUSTED';
    case 500:
      return 'INTERNAL';
    case 504:
      return 'DEADLINE_EXCEEDED';
    default:
      return status > 500 ? 'UNAVAILABLE' : 'INVALID_ARGUMENT';
  }
}
