/**
 * The plugins that come with Weir, in one folder each. They use src/core/plugin-api.ts and nothing else of Weir.
 */
import type { PluginCatalog } from '../src/core/index.js';
import { byId, LIGHT_PLUGINS } from './light-plugins.js';
import { pii } from './pii/pii.js';
import { promptInjection } from './prompt-injection/prompt-injection.js';
import { secrets } from './secrets/secrets.js';

/** The plugins that come with Weir, sorted by id. */
export const PLUGINS: PluginCatalog = {
  ...LIGHT_PLUGINS,
  detectors: byId([...LIGHT_PLUGINS.detectors, pii, promptInjection, secrets]),
};
