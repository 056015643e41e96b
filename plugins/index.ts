import type { PluginCatalog } from '../src/core/index.js';
import { secrets } from './secrets/secrets.js';
import { toolUse } from './tool-use/tool-use.js';

/** The plugins that come with Weir, sorted by id. */
export const PLUGINS: PluginCatalog = {
  detectors: [secrets],
  structures: [toolUse],
};
