import type { PluginCatalog } from '../src/core/index.js';
import { budget } from './budget/budget.js';
import { jsonSchema } from './json-schema/json-schema.js';
import { keywords } from './keywords/keywords.js';
import { pii } from './pii/pii.js';
import { promptInjection } from './prompt-injection/prompt-injection.js';
import { regex } from './regex/regex.js';
import { remote } from './remote/remote.js';
import { secrets } from './secrets/secrets.js';
import { toolUse } from './tool-use/tool-use.js';

/** The plugins that come with Weir, sorted by id. */
export const PLUGINS: PluginCatalog = {
  detectors: [keywords, pii, promptInjection, regex, remote, secrets],
  structures: [jsonSchema, toolUse],
  ledgers: [budget],
};
