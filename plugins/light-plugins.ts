import type { PluginCatalog } from '../src/core/index.js';
import { budget } from './budget/budget.js';
import { jsonSchema } from './json-schema/json-schema.js';
import { keywords } from './keywords/keywords.js';
import { regex } from './regex/regex.js';
import { remote } from './remote/remote.js';
import { toolUse } from './tool-use/tool-use.js';

/**
 * The plugins that come with Weir and load quickly. Add a new plugin only here. A plugin whose tables take long to load belongs in
 * index.ts and, with its description, in described.ts.
 */
export const LIGHT_PLUGINS = {
  detectors: [keywords, regex, remote],
  structures: [jsonSchema, toolUse],
  ledgers: [budget],
} satisfies PluginCatalog;

/** Sorts plugins by id. */
export function byId<Plugin extends { readonly meta: { readonly id: string } }>(plugins: readonly Plugin[]): Plugin[] {
  return plugins.toSorted((one, other) => (one.meta.id < other.meta.id ? -1 : 1));
}
