import { wholeCatalog, type CatalogDetector, type PluginCatalog } from '../../core/detection/catalog.js';
import { codesOf, type Scan } from '../../core/detection/detector.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { SourcePlace } from '../../core/model/policy-sources.js';
import { remark, type Remark } from './finding.js';
import { memoizeByObject } from '../../core/model/memoize.js';

/** Fields of a rule that are shown to callers. */
const SHOWN_FIELDS = ['message', 'then.answer'] as const;

type Looks = (text: string) => string | undefined;

interface CallerText {
  readonly text: string;
  readonly at: SourcePlace;
}

/** G312: credentials in texts that every refused caller can read. */
export async function checkCallerMessages(
  policies: readonly CompiledPolicy[],
  plugins: PluginCatalog,
): Promise<Remark[]> {
  const texts = policies.flatMap(callerTextsOf);
  if (texts.length === 0) return [];
  const looks = await looksOf(plugins);
  return texts.flatMap(({ text, at }) => {
    const code = looks(text);
    if (code === undefined) return [];
    return [remark('G312', at, `a message to callers contains ${code}`, 'remove it and replace the credential')];
  });
}

function callerTextsOf({ rules, sources }: CompiledPolicy): CallerText[] {
  return rules.flatMap((rule) =>
    SHOWN_FIELDS.flatMap((field) => {
      const at = sources.rules[rule.id]?.fields[field];
      const text = field === 'message' ? rule.message : rule.answer;
      return at === undefined || text === undefined ? [] : [{ text, at }];
    }),
  );
}

/** The detectors of credentials with default options, independent of the options in the policy. */
const looksOf = memoizeByObject(async (plugins: PluginCatalog): Promise<Looks> => {
  const isOfSecrets = ({ kind, meta }: CatalogDetector): boolean => kind === 'text' && meta.family === 'secret';
  const ids = new Set(plugins.detectors.filter(isOfSecrets).map(({ meta }) => meta.id));
  const { detectors } = await wholeCatalog(plugins, ids);
  const scans = detectors.flatMap((detector) => {
    if (detector.kind !== 'text' || !ids.has(detector.meta.id)) return [];
    const options: unknown = detector.meta.options.parse({});
    const enabled = Object.entries(codesOf(detector.meta, options)).filter(([, code]) => code.enabled);
    const least = new Map(enabled.map(([code, { minScore }]) => [code, minScore]));
    const scan = detector.create(options, { codes: new Set(least.keys()) }) as Scan;
    return [(text: string) => scan(text).find(({ code, score }) => score >= (least.get(code) ?? 0))?.code];
  });
  return (text) => scans.map((scan) => scan(text)).find((code) => code !== undefined);
});
