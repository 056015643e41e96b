import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import type { z } from 'zod';
import { DETECTOR_FIELDS } from './policy-format.js';
import type { DetectorSource } from './resolve.js';
import { plainOf, type Entry, type MapNode, type Node, type Span } from './source/node.js';
import { plainWords } from './source/plain-words.js';
import { reportUnknownKey } from './source/shape.js';
import type { Problems } from './source/problems.js';

interface Named {
  readonly meta: { readonly id: string; readonly version: string };
}

/** The id in `plugin: <id>@<range>`; undefined if the entry has no valid one. */
export function pluginIdOf(source: DetectorSource): string | undefined {
  const value = source.entries.find(({ key }) => key === 'plugin')?.value;
  return value?.kind === 'scalar' && typeof value.value === 'string' ? value.value.split('@')[0] : undefined;
}

/**
 * Finds the plugin named by an entry under `detectors`, if the plugin's version matches the entry's range. Problems are reported at the
 * position of the name.
 *
 * @param loaded the plugins to choose from
 */
export function findPlugin<Plugin extends Named>(
  source: DetectorSource,
  loaded: readonly Plugin[],
  problems: Problems,
): Plugin | undefined {
  const entry = source.entries.find(({ key }) => key === 'plugin');
  if (entry === undefined) {
    problems.add('G006', source.keySpan, `the detector "${source.key}" needs "plugin"`, 'such as plugin: pii@^1');
    return undefined;
  }
  const named = DETECTOR_FIELDS.plugin.shape.read(entry.value, problems);
  if (named === undefined) return undefined;
  const [id = '', range] = named.split('@');
  const span = entry.value.span;
  const plugin = loaded.find(({ meta }) => meta.id === id);
  if (plugin === undefined) {
    const known = loaded.map(({ meta }) => meta.id);
    const hint = problems.suggest(id, known) ?? `loaded: ${known.join(', ') || 'none'}`;
    problems.add('G122', span, `no detector plugin "${id}" is loaded`, hint);
    return undefined;
  }
  if (range !== undefined && (validRange(range) === null || !satisfies(plugin.meta.version, range))) {
    problems.add(
      'G122',
      span,
      `plugin "${id}" is loaded in version ${plugin.meta.version}, but the policy requires ${range}`,
    );
    return undefined;
  }
  return plugin;
}

/** Checks a plugin's options: every key of the entry, except the host's own keys, is an option and is checked by the plugin's schema. */
export function checkOptions(
  source: DetectorSource,
  schema: z.ZodType,
  problems: Problems,
): { readonly value: unknown; readonly written: unknown } | undefined {
  const entries = source.entries.filter(({ key }) => !Object.hasOwn(DETECTOR_FIELDS, key));
  const node: MapNode = { kind: 'map', span: source.keySpan, entries };
  const written = { ...(plainOf(node) as Record<string, unknown>) };
  const result = schema.safeParse(written, { error: plainWords });
  if (result.success) return { value: result.data, written };
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      const known = [...optionNames(schema), ...Object.keys(DETECTOR_FIELDS)];
      for (const key of issue.keys) {
        reportUnknownKey(key, spanAt(node, [...issue.path, key]), known, `detector "${source.key}"`, problems);
      }
    } else {
      const where = issue.path.map(String).join('.') || 'options';
      problems.add('G123', spanAt(node, issue.path), `${source.key}: ${where}: ${issue.message}`);
    }
  }
  return undefined;
}

function optionNames(schema: unknown): string[] {
  const shape = (schema as { readonly shape?: unknown }).shape;
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : [];
}

/** The position to report for a path inside the options: its deepest existing part. */
function spanAt(root: MapNode, path: readonly PropertyKey[]): Span {
  let node: Node = root;
  let span = root.span;
  for (const part of path) {
    if (node.kind === 'map') {
      const entry: Entry | undefined = node.entries.find(({ key }) => key === String(part));
      if (entry === undefined) return span;
      span = part === path.at(-1) && entry.value.kind !== 'scalar' ? entry.keySpan : entry.value.span;
      if (entry.value.kind === 'scalar' && part === path.at(-1)) return isOption(root, entry) ? entry.keySpan : span;
      node = entry.value;
    } else if (node.kind === 'seq' && node.items[Number(part)] !== undefined) {
      node = node.items[Number(part)]!;
      span = node.span;
    } else if (node.kind === 'scalar' || Number.isInteger(part)) return span;
    // Otherwise the list is a short form of a map, and the path contains a key that is not in the file.
  }
  return span;
}

function isOption(root: MapNode, entry: Entry): boolean {
  return root.entries.includes(entry);
}
