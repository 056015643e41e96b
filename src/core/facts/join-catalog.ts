import { BASE_FACTS } from './registry.js';
import type { CatalogDetector, PluginCatalog } from '../detection/catalog.js';
import { rootsOf } from '../detection/bind-structures.js';
import type { LedgerPlugin } from '../detection/ledger.js';
import type { StructurePlugin } from '../detection/structure.js';

/** The plugins of one source: the shipped catalog, or the module of a package. */
export interface PluginSource {
  /** The name used in error messages: a package name. */
  readonly name: string;
  /** The module; it exports `plugins`, a list, or `default`, one plugin or a list. */
  readonly module: unknown;
}

export interface JoinedCatalog {
  readonly catalog: PluginCatalog;
  /** All problems, each with its source and plugin; empty if the catalog can be used. */
  readonly problems: readonly string[];
}

const ID = /^[a-z][a-z0-9]{0,40}(?:-[a-z0-9]{1,40}){0,8}$/;
const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[0-9A-Za-z.-]{1,40})?$/;
const ROOT = /^[a-z][a-z0-9_]{0,63}$/;
const FAMILIES = ['personal_data', 'secret', 'prompt_injection', 'content'];

/**
 * Joins the plugins of all sources into one sorted catalog. No plugin code runs; only the shape of plugins is checked.
 *
 * Rejects values that are not plugins, duplicate ids, and structure or ledger plugins whose fact root is already used by another plugin
 * or by base facts, because the facts would be ambiguous. Fact roots of detectors are chosen by policies and checked there.
 */
export function joinCatalog(sources: readonly PluginSource[]): JoinedCatalog {
  const problems: string[] = [];
  const detectors: CatalogDetector[] = [];
  const structures: StructurePlugin[] = [];
  const ledgers: LedgerPlugin[] = [];
  const owners = new Map<string, string>();
  const roots = new Map<string, string>();
  for (const root of rootsOf({ facts: BASE_FACTS })) roots.set(root, 'Weir itself');
  for (const source of sources) {
    const offered = pluginsOf(source.module);
    if (offered === undefined)
      problems.push(`${source.name} offers no plugin: it must export "plugins" or have a default export`);
    offered?.forEach((plugin, index) => {
      const wrong = shapeProblems(plugin);
      const name = nameOf(plugin) ?? `number ${index + 1}`;
      problems.push(...wrong.map((what) => `${source.name}: plugin ${name} ${what}`));
      if (wrong.length > 0) return;
      const accepted = plugin as CatalogDetector | StructurePlugin | LedgerPlugin;
      const owner = owners.get(accepted.meta.id);
      if (owner !== undefined) problems.push(`${source.name}: the id "${name}" is also used by a plugin of ${owner}`);
      owners.set(accepted.meta.id, source.name);
      if (accepted.kind === 'structure') {
        structures.push(accepted);
        problems.push(...claimRoots(accepted.meta.id, rootsOf(accepted), source.name, roots));
      } else if (accepted.kind === 'ledger') {
        ledgers.push(accepted);
        problems.push(...claimRoots(accepted.meta.id, [accepted.root], source.name, roots));
      } else detectors.push(accepted);
    });
  }
  const byId = (a: { meta: { id: string } }, b: { meta: { id: string } }): number => (a.meta.id < b.meta.id ? -1 : 1);
  const catalog = { detectors: detectors.sort(byId), structures: structures.sort(byId), ledgers: ledgers.sort(byId) };
  return { catalog, problems };
}

/** A shipped catalog as a source. */
export function catalogSource(name: string, { detectors, structures, ledgers }: PluginCatalog): PluginSource {
  return { name, module: { plugins: [...detectors, ...structures, ...ledgers] } };
}

function claimRoots(id: string, own: readonly string[], source: string, roots: Map<string, string>): string[] {
  const problems: string[] = [];
  for (const root of own) {
    const owner = roots.get(root);
    const taken = owner !== undefined && owner !== `plugin ${id}`;
    if (taken) problems.push(`${source}: plugin ${id} claims the facts "${root}", which ${owner} already provides`);
    roots.set(root, `plugin ${id}`);
  }
  return problems;
}

function pluginsOf(module: unknown): unknown[] | undefined {
  if (!isRecord(module)) return undefined;
  const offered = module['plugins'] ?? module['default'];
  if (offered === undefined) return undefined;
  return Array.isArray(offered) ? (offered as unknown[]) : [offered];
}

function nameOf(plugin: unknown): string | undefined {
  const id = isRecord(plugin) && isRecord(plugin['meta']) ? plugin['meta']['id'] : undefined;
  return typeof id === 'string' && ID.test(id) ? id : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Why a value is not a plugin, as texts to follow its name. */
function shapeProblems(plugin: unknown): string[] {
  if (!isRecord(plugin)) return ['is not an object'];
  const { kind, meta } = plugin;
  if (kind !== 'text' && kind !== 'remote' && kind !== 'structure' && kind !== 'ledger') {
    return ['has a kind other than "text", "remote", "structure" and "ledger"'];
  }
  if (!isRecord(meta)) return ['has no meta'];
  const problems: string[] = [];
  if (typeof meta['id'] !== 'string' || !ID.test(meta['id'])) problems.push('has an id that is not in kebab case');
  if (typeof meta['version'] !== 'string' || !VERSION.test(meta['version'])) problems.push('has no semantic version');
  if (!Number.isSafeInteger(meta['revision'])) problems.push('has no integer revision');
  if (typeof meta['summary'] !== 'string') problems.push('has no summary');
  if (!isRecord(meta['options']) || typeof meta['options']['safeParse'] !== 'function') {
    problems.push('has no options schema');
  }
  if (kind === 'structure') return [...problems, ...structureProblems(plugin)];
  return [...problems, ...(kind === 'ledger' ? ledgerProblems(plugin) : detectorProblems(plugin, meta))];
}

function detectorProblems(plugin: Record<string, unknown>, meta: Record<string, unknown>): string[] {
  const problems: string[] = [];
  const { codes, family, reach, examples } = meta;
  for (const name of plugin['kind'] === 'remote' ? ['service', 'requests', 'read'] : ['create']) {
    if (typeof plugin[name] !== 'function') problems.push(`has no ${name} function`);
  }
  if (!FAMILIES.includes(family as string)) problems.push(`has a family other than ${FAMILIES.join(', ')}`);
  if (!isRecord(codes) || !Object.values(codes).every(isCodeInfo)) problems.push('has no well-formed codes');
  else if (Object.keys(codes).length === 0 && typeof meta['codesFrom'] !== 'function') problems.push('has no codes');
  if (reach !== 'whole_text' && !(isRecord(reach) && isLength(reach['behind']) && isLength(reach['ahead']))) {
    problems.push('has no reach');
  }
  if (!Array.isArray(examples)) problems.push('has no examples');
  return problems;
}

function structureProblems(plugin: Record<string, unknown>): string[] {
  const problems: string[] = [];
  if (typeof plugin['read'] !== 'function') problems.push('has no read function');
  const facts = plugin['facts'];
  const named = (fact: unknown): boolean => isRecord(fact) && typeof fact['name'] === 'string' && fact['name'] !== '';
  if (!Array.isArray(facts) || !facts.every(named)) problems.push('has no well-formed facts');
  return problems;
}

function ledgerProblems(plugin: Record<string, unknown>): string[] {
  const missing = ['facts', 'read', 'usagesAt'].filter((name) => typeof plugin[name] !== 'function');
  const isRoot = typeof plugin['root'] === 'string' && ROOT.test(plugin['root']);
  return [...missing.map((name) => `has no ${name} function`), ...(isRoot ? [] : ['has no valid root for its facts'])];
}

function isCodeInfo(info: unknown): boolean {
  return (
    isRecord(info) &&
    typeof info['title'] === 'string' &&
    typeof info['enabled'] === 'boolean' &&
    typeof info['minScore'] === 'number' &&
    info['minScore'] >= 0 &&
    info['minScore'] <= 1
  );
}

function isLength(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
