/** Reads the YAML file that `WEIR_CONFIG` names: plain settings as text, and the extra providers. */
import { LineCounter, isMap, isScalar, isSeq, parseDocument, type Node, type Pair, type YAMLMap } from 'yaml';
import { isProviderStyle, nearestWord, PROVIDER_STYLES } from '../core/index.js';
import type { ProviderConfig } from './app-config.js';
import type { ConfigProblem } from './config-error.js';
import { upstreamUrl } from './value-parsers.js';

/** The parsed configuration file. `values` maps a setting's key to the text that a variable would hold. */
export interface ConfigFile {
  readonly values: ReadonlyMap<string, string>;
  readonly providers: readonly ProviderConfig[];
}

const PROVIDER_KEYS = ['id', 'style', 'base_url'];
const PROVIDER_ID = /^[a-z][a-z0-9-]{0,31}$/;

/** Collects problems with their lines. */
class FileReader {
  readonly problems: ConfigProblem[] = [];
  readonly lines = new LineCounter();

  complain(node: Node | null | undefined, what: string, problem: string): void {
    const offset = node?.range?.[0];
    const line = offset === undefined ? '' : ` line ${this.lines.linePos(offset).line}`;
    this.problems.push({ setting: `WEIR_CONFIG${line}${what === '' ? '' : `, ${what}`}`, problem });
  }

  /** The entries of a map with string keys; an unknown key is reported with the nearest known one. */
  entries(map: YAMLMap, known: readonly string[], where: string): [string, Node | null][] {
    const found: [string, Node | null][] = [];
    for (const { key, value } of map.items as Pair<Node, Node | null>[]) {
      const name = isScalar(key) ? String(key.value) : '';
      if (known.includes(name)) {
        found.push([name, value]);
        continue;
      }
      const near = nearestWord(name, known);
      this.complain(
        key,
        `${where}${printable(name)}`,
        `is not a setting${near === undefined ? '' : `; did you mean ${near}?`}`,
      );
    }
    return found;
  }
}

/** A key as it may be shown: names only, nothing that could be a value in the wrong place. */
const printable = (name: string): string => (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name) ? name : 'a key');

/** The text of a scalar as a variable would hold it; the parser of the value converts `true` and `false` to `on` and `off`. */
const scalarText = (node: Node | null): string | undefined =>
  isScalar(node) && ['string', 'number', 'boolean'].includes(typeof node.value)
    ? typeof node.value === 'number'
      ? (node.source ?? String(node.value))
      : String(node.value)
    : undefined;

/** Reads one file. All its errors are in `problems`, which never contain a value. */
export function readConfigFile(
  text: string,
  keys: readonly string[],
): ConfigFile & { problems: readonly ConfigProblem[] } {
  const reader = new FileReader();
  const values = new Map<string, string>();
  let providers: readonly ProviderConfig[] = [];
  const document = parseDocument(text, {
    version: '1.2',
    strict: true,
    uniqueKeys: true,
    prettyErrors: false,
    lineCounter: reader.lines,
  });
  for (const error of document.errors) {
    const line = reader.lines.linePos(error.pos[0]).line;
    reader.problems.push({ setting: `WEIR_CONFIG line ${line}`, problem: `is not valid YAML (${error.code})` });
  }
  if (document.errors.length > 0 || document.contents === null) return { values, providers, problems: reader.problems };
  if (!isMap(document.contents)) {
    reader.complain(document.contents, '', 'must be a map of settings');
    return { values, providers, problems: reader.problems };
  }
  for (const [key, node] of reader.entries(document.contents, [...keys, 'providers'], '')) {
    if (key === 'providers') {
      providers = readProviders(reader, node);
      continue;
    }
    const value = scalarText(node);
    if (value !== undefined) values.set(key, value);
    else if (!(isScalar(node) && node.value === null)) reader.complain(node, key, 'must be a single value');
  }
  return { values, providers, problems: reader.problems };
}

function readProviders(reader: FileReader, node: Node | null): readonly ProviderConfig[] {
  if (!isSeq(node)) {
    reader.complain(node, 'providers', 'must be a list');
    return [];
  }
  const providers: ProviderConfig[] = [];
  const taken = new Set<string>();
  for (const [index, item] of (node.items as (Node | null)[]).entries()) {
    const provider = readProvider(reader, item, `providers[${index}]`);
    if (provider === undefined) continue;
    if (taken.has(provider.id)) reader.complain(item, `providers[${index}].id`, 'is used twice');
    taken.add(provider.id);
    providers.push(provider);
  }
  return providers;
}

function readProvider(reader: FileReader, node: Node | null, where: string): ProviderConfig | undefined {
  if (!isMap(node)) {
    reader.complain(node, where, 'must be a map with id, style and base_url');
    return undefined;
  }
  const before = reader.problems.length;
  const entries = new Map(reader.entries(node, PROVIDER_KEYS, `${where}.`));
  for (const key of PROVIDER_KEYS) {
    if (!entries.has(key)) reader.complain(node, `${where}.${key}`, 'is missing');
  }
  const text = (key: string): string => scalarText(entries.get(key) ?? null) ?? '';
  const at = (key: string, problem: string): void => reader.complain(entries.get(key), `${where}.${key}`, problem);

  const id = text('id');
  if (entries.has('id')) {
    if (isProviderStyle(id)) at('id', `is built in; set WEIR_${id.toUpperCase()}_BASE_URL`);
    else if (!PROVIDER_ID.test(id))
      at('id', 'must be lower-case letters, digits and hyphens, at most 32, starting with a letter');
  }
  const style = text('style');
  if (entries.has('style') && !isProviderStyle(style)) at('style', `must be ${PROVIDER_STYLES.join(' or ')}`);
  const url = upstreamUrl().parse(text('base_url'), { baseDir: '/' });
  if (entries.has('base_url') && !url.ok) at('base_url', url.problem);

  if (reader.problems.length > before || !url.ok || !isProviderStyle(style)) return undefined;
  return { id, style, baseUrl: url.value };
}
