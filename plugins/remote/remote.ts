import type { RemoteDetector } from '../../src/core/plugin-api.js';
import type { Format } from './format.js';
import { llmGuard } from './llm-guard.js';
import { presidio } from './presidio.js';
import { remoteOptions, type RemoteOptions } from './remote-options.js';
import { webhook } from './webhook.js';

const FORMATS: Readonly<Record<RemoteOptions['format'], Format>> = { presidio, llm_guard: llmGuard, webhook };

/** Reports the findings of a service of the operator, such as a model, for cases where patterns are not sufficient. */
export const remote: RemoteDetector<string, RemoteOptions> = {
  kind: 'remote',
  meta: {
    id: 'remote',
    version: '1.0.0',
    revision: 1,
    family: 'content',
    summary: 'Finds what your own service reports: Presidio, LLM Guard, or any webhook.',
    codes: {},
    codesFrom: ({ entities, service }) =>
      Object.fromEntries(
        Object.values(entities).map((code) => [
          code,
          { title: `${code}, found by ${service}`, enabled: true, minScore: 0 },
        ]),
      ),
    // The service always receives whole texts.
    reach: 'whole_text',
    options: remoteOptions,
    examples: [],
  },
  service: ({ service }) => service,
  requests: (texts, options) => FORMATS[options.format].requests(texts, options),
  read: (answer, texts, options) => FORMATS[options.format].read(answer, texts, options),
};
