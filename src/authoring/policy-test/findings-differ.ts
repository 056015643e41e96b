import type { PluginCatalog } from '../../core/detection/catalog.js';
import { runScan } from '../../core/detection/run-scan.js';
import { scanCall, type CallToJudge, type JudgeHost } from '../../core/judge/index.js';
import type { DecodedCall } from '../../core/model/call.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { DetectorOutcome } from '../../core/model/finding.js';
import { detectorsOf, KINDS, NO_LIMITS } from './gather-facts.js';
import type { PreparedTest } from './prepared-test.js';

/**
 * Whether some detectors have different findings in a test's texts under another version of its policy: if not, the test's gathered
 * facts can be reused.
 */
export async function findingsDiffer(
  { test, call, stage, mode, gathered, policy: before }: PreparedTest,
  policy: CompiledPolicy,
  { plugins, keys }: { readonly plugins: PluginCatalog; readonly keys: ReadonlySet<string> },
): Promise<boolean> {
  // An annotation counts as a finding only if the policy enables its code.
  if (call.annotations.size > 0 && codesOf(before, keys) !== codesOf(policy, keys)) return true;
  const detectors = (await detectorsOf({ policy, plugins, mode, call })).filter(({ binding }) => keys.has(binding.key));
  const some = { ...policy, detectors: policy.detectors.filter(({ key }) => keys.has(key)) };
  const asked = { policy: { policy: some, detectors, structures: [] }, supposed: { down: new Set(test.unavailable) } };
  const scan: JudgeHost['scan'] = (all, segments, neighbours) => runScan(all, segments, { ...NO_LIMITS, neighbours });
  const differs = async (part: DecodedCall, kind: CallToJudge['kind'], known: readonly DetectorOutcome[]) => {
    const own = known.filter(({ detector }) => keys.has(detector));
    return JSON.stringify(await scanCall({ ...asked, call: part, kind }, { scan })) !== JSON.stringify(own);
  };
  if (await differs(call.call, KINDS[stage], gathered.reading.outcomes)) return true;
  return call.request !== undefined && (await differs(call.request, 'request', gathered.requestOutcomes));
}

function codesOf({ detectors }: CompiledPolicy, keys: ReadonlySet<string>): string {
  return JSON.stringify(detectors.filter(({ key }) => keys.has(key)).map(({ codes }) => codes));
}
