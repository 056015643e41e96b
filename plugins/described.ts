import { describedDetector, type CatalogDetector, type PluginCatalog } from '../src/core/index.js';
import { byId, LIGHT_PLUGINS } from './light-plugins.js';
import { ABOUT as PII } from './pii/about.js';
import { ABOUT as PROMPT_INJECTION } from './prompt-injection/about.js';
import { ABOUT as SECRETS } from './secrets/about.js';

const LARGE = [describedDetector(PII), describedDetector(PROMPT_INJECTION), describedDetector(SECRETS)];

/**
 * The plugins that come with Weir, with descriptions instead of code for the large ones. Descriptions suffice to compile policies and to
 * test them with stubs, and load in a third of the time.
 */
export const DESCRIBED: PluginCatalog = {
  ...LIGHT_PLUGINS,
  detectors: byId([...LIGHT_PLUGINS.detectors, ...LARGE]),
  whole: async (ids) => (ids === undefined ? (await import('./index.js')).PLUGINS : withLooking(ids)),
};

/** Loads the code of each described plugin. */
const LOADERS: Readonly<Record<string, () => Promise<CatalogDetector>>> = {
  [PII.id]: async () => (await import('./pii/pii.js')).pii,
  [PROMPT_INJECTION.id]: async () => (await import('./prompt-injection/prompt-injection.js')).promptInjection,
  [SECRETS.id]: async () => (await import('./secrets/secrets.js')).secrets,
};

/** The described plugins, with code only for the given ids, since tables such as names and numbering plans load slowly. */
async function withLooking(ids: ReadonlySet<string>): Promise<PluginCatalog> {
  const detectors = await Promise.all(
    DESCRIBED.detectors.map(async (one) => (ids.has(one.meta.id) ? ((await LOADERS[one.meta.id]?.()) ?? one) : one)),
  );
  return { ...DESCRIBED, detectors };
}
