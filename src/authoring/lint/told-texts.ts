import type { PluginCatalog } from '../../core/detection/catalog.js';
import { codesOf, type Scan } from '../../core/detection/detector.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { remark, type Remark } from './finding.js';

/** Fields of a rule that callers read. */
const TOLD = ['message', 'then.answer'] as const;

type Looks = (text: string) => string | undefined;

/** G312: credentials in what refused callers are told: it is read by whoever can be refused. */
export function checkToldTexts({ rules, sources }: CompiledPolicy, plugins: PluginCatalog): Remark[] {
  return rules.flatMap((rule) =>
    TOLD.flatMap((field) => {
      const at = sources.rules[rule.id]?.fields[field];
      const text = field === 'message' ? rule.message : rule.answer;
      if (at === undefined || text === undefined) return [];
      const code = looksOf(plugins)(text);
      if (code === undefined) return [];
      return [
        remark('G312', at, `callers are told what ${code} looks like`, 'take it out, and replace the credential'),
      ];
    }),
  );
}

const known = new WeakMap<PluginCatalog, Looks>();

/** The detectors of credentials as they come, whatever the policy makes of them. */
function looksOf(plugins: PluginCatalog): Looks {
  const made = known.get(plugins) ?? makeLooks(plugins);
  known.set(plugins, made);
  return made;
}

function makeLooks({ detectors }: PluginCatalog): Looks {
  const scans = detectors.flatMap((detector) => {
    if (detector.kind !== 'text' || detector.meta.family !== 'secret') return [];
    const options: unknown = detector.meta.options.parse({});
    const enabled = Object.entries(codesOf(detector.meta, options)).filter(([, code]) => code.enabled);
    const least = new Map(enabled.map(([code, { minScore }]) => [code, minScore]));
    const scan = detector.create(options, { codes: new Set(least.keys()) }) as Scan;
    return [(text: string) => scan(text).find(({ code, score }) => score >= (least.get(code) ?? 0))?.code];
  });
  return (text) => scans.map((scan) => scan(text)).find((code) => code !== undefined);
}
