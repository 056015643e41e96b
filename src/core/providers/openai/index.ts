import { readUsage } from '../../call/usage.js';
import type { Provider } from '../provider.js';
import { errorTypeOf } from '../error-types.js';

export * from './dialects.js';

/** https://platform.openai.com/docs/guides/error-codes */
export const OPENAI: Provider = {
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com',
  error: openaiError,
  // No `[DONE]` follows.
  errorFrame: (error) => `data: ${JSON.stringify(openaiError(error))}\n\n`,
  keepAlive: ': keep-alive\n\n',
  headers: ['openai-*'],
  plainHeaders: [
    ['openai-organization', /^org-[A-Za-z0-9]{24}$/],
    ['openai-project', /^proj_[A-Za-z0-9]{24}$/],
  ],
  apiRoutes: [
    { path: '/v1/chat/completions', summary: 'Chat completions.' },
    { path: '/v1/completions', summary: 'Completions.' },
    { path: '/v1/responses', summary: 'Responses.' },
    { path: '/v1/embeddings', summary: 'Embeddings.' },
  ],
  usage: readUsage,
};

function openaiError({ type, message, status, param, weir }: Parameters<Provider['error']>[0]): object {
  return { error: { message, type: errorTypeOf(status), param, code: type, weir } };
}
