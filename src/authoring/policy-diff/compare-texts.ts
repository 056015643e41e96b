import { bindDetectors } from '../../core/detection/bind.js';
import { wholeCatalog, type PluginCatalog } from '../../core/detection/catalog.js';
import type { CompiledPolicy, DetectorBinding } from '../../core/model/compiled-policy.js';
import type { Finding } from '../../core/model/finding.js';
import type { Setting } from './request.js';
import { samplesOf } from './sample-pattern.js';

/** The result of comparing two versions of a detector on the same texts. */
export interface TextComparison {
  /** Number of compared texts in which at least one version finds something. */
  readonly tried: number;
  /** One text per kind of difference in codes, counts or scores. */
  readonly settings: readonly Setting[];
  /** Texts in which a finding of the later version covers fewer characters. */
  readonly shorter: readonly string[];
}

const MAX_STRINGS = 60;
const MAX_TEXTS = 400;
const MAX_SETTINGS = 12;

/**
 * Compares detectors that differ only in options, on texts generated from these options: words and matches of expressions, alone, in
 * upper and lower case, and inside words. Remote detectors are not called.
 */
export async function compareTexts(
  base: CompiledPolicy,
  next: CompiledPolicy,
  catalog: PluginCatalog,
): Promise<ReadonlyMap<string, TextComparison>> {
  const pairs = next.detectors.flatMap((after) => {
    const before = base.detectors.find(({ key }) => key === after.key);
    if (before?.plugin !== after.plugin || before.revision !== after.revision) return [];
    return JSON.stringify(before.options) === JSON.stringify(after.options) ? [] : [{ before, after }];
  });
  if (pairs.length === 0) return new Map();
  const plugins = await wholeCatalog(catalog, new Set(pairs.map(({ after }) => after.plugin)));
  return new Map(
    pairs.flatMap(({ before, after }) => {
      const compared = compareOne(before, after, [base, next], plugins);
      return compared === undefined || compared.tried === 0 ? [] : [[after.key, compared] as const];
    }),
  );
}

function compareOne(
  before: DetectorBinding,
  after: DetectorBinding,
  [base]: readonly [CompiledPolicy, CompiledPolicy],
  plugins: PluginCatalog,
): TextComparison | undefined {
  const plugin = plugins.detectors.find(({ meta }) => meta.id === after.plugin);
  if (plugin === undefined || plugin.kind === 'remote') return undefined;
  const scanOf = (binding: DetectorBinding) => bindDetectors({ detectors: [binding] }, plugins)[0]!.scan;
  const [old, now] = [scanOf(before), scanOf(after)];
  const texts = textsFor(before.options, after.options);
  const settings = new Map<string, Setting>();
  const shorter: string[] = [];
  let tried = 0;
  for (const text of texts) {
    const [was, is] = [old(text), now(text)];
    if (was.length + is.length === 0) continue;
    tried += 1;
    if (isShorter(was, is)) shorter.push(text);
    const [a, b] = [kinds(was), kinds(is)];
    if (a === b || settings.size === MAX_SETTINGS || settings.has(`${a} ${b}`)) continue;
    const findings = (policy: CompiledPolicy): readonly Finding[] => (policy === base ? was : is);
    settings.set(`${a} ${b}`, { part: { kind: 'text', detector: after.key, text, findings }, alike: [] });
  }
  return { tried, settings: [...settings.values()], shorter };
}

function kinds(findings: readonly Finding[]): string {
  return JSON.stringify(findings.map(({ code, score }) => [code, score]).sort());
}

/** Whether a finding of the earlier version is now found only in part. */
function isShorter(was: readonly Finding[], is: readonly Finding[]): boolean {
  return was.some((old) => {
    const same = is.filter(({ code, start, end }) => code === old.code && start < old.end && end > old.start);
    return same.length > 0 && !same.some(({ start, end }) => start <= old.start && end >= old.end);
  });
}

/** Generates texts from the strings in the options of both versions, first from strings that only one version has. */
function textsFor(before: unknown, after: unknown): string[] {
  const [was, is] = [new Set(stringsIn(before)), new Set(stringsIn(after))];
  const both = [...was].filter((one) => is.has(one));
  const either = [...was, ...is].filter((one) => !was.has(one) || !is.has(one));
  const strings = [...new Set([...either, ...both])].slice(0, MAX_STRINGS);
  const plain = strings.flatMap((text) => [text, ...samplesOf(text)]);
  const texts = plain.flatMap((text) => [text, text.toLowerCase(), text.toUpperCase(), `x${text}x`]);
  return [...new Set(texts)].filter((text) => text !== '').slice(0, MAX_TEXTS);
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/**
 * Generates, from a detector's options, a text in which the detector finds a code; undefined if it finds the code in none of the tried
 * texts.
 */
export async function sampleOf(
  binding: DetectorBinding,
  code: string,
  catalog: PluginCatalog,
): Promise<{ readonly text: string; readonly start: number; readonly end: number } | undefined> {
  const { scan } = bindDetectors({ detectors: [binding] }, await wholeCatalog(catalog, new Set([binding.plugin])))[0]!;
  for (const text of textsFor(binding.options, binding.options)) {
    const found = scan(text).find((finding) => finding.code === code);
    if (found !== undefined) return { text, start: found.start, end: found.end };
  }
  return undefined;
}
