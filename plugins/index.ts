import type { PluginCatalog } from '../src/core/index.js';
import { pii } from './pii/pii.js';
import { secrets } from './secrets/secrets.js';
import { toolUse } from './tool-use/tool-use.js';

/** The plugins that come with Weir, sorted by id. */
export const PLUGINS: PluginCatalog = {
  detectors: [pii, secrets],
  structures: [toolUse],
};
