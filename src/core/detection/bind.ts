import type { CompiledPolicy, DetectorBinding } from '../model/compiled-policy.js';
import type { PluginCatalog } from './catalog.js';
import type { OpenStream, Reach, Scan, ScanStream, Settled } from './detector.js';
import type { Finding } from '../model/finding.js';
import { JointWords } from './engine/word-index.js';
import { streamByReach } from './reach-stream.js';
import { RemoteAnswerError, type AnyRemoteDetector, type BoundRemote } from './remote.js';

/** A detector configured by one policy: options applied, codes selected, ready to scan. */
export interface BoundDetector {
  readonly binding: DetectorBinding;
  /** Looks at one text, here and now. That of a remote detector throws. */
  readonly scan: Scan;
  /** Looks at one text that comes in pieces; absent where nothing can be said before the text is complete. */
  readonly stream?: OpenStream;
  /** How far it sees around a finding; absent for a remote one. */
  readonly reach?: Reach;
  /** Set for a detector that asks a service: a host that can do that asks it instead of scanning. */
  readonly remote?: BoundRemote;
}

/**
 * Creates the scans of a compiled policy's detectors. Done once per activation: `create` may precompute.
 * Findings below the binding's `minScore` for their code are dropped here, so nothing downstream sees them.
 *
 * @throws Error when a plugin of the policy is not in the catalog (the compiler refuses that, so it means the two differ).
 */
export function bindDetectors(policy: Pick<CompiledPolicy, 'detectors'>, catalog: PluginCatalog): BoundDetector[] {
  return [...bindEach(policy, catalog)];
}

/** The same, one by one: a host may do something else between two. They read a text together when all are there. */
export function* bindEach(
  policy: Pick<CompiledPolicy, 'detectors'>,
  catalog: PluginCatalog,
): Generator<BoundDetector, void> {
  const words = new JointWords();
  for (const binding of policy.detectors) yield bindOne(binding, catalog, words);
}

function bindOne(binding: DetectorBinding, catalog: PluginCatalog, words: JointWords): BoundDetector {
  const plugin = catalog.detectors.find((detector) => detector.meta.id === binding.plugin);
  if (plugin === undefined) throw new Error(`plugin "${binding.plugin}" is not loaded`);
  if (plugin.kind === 'remote') return { binding, scan: refuseToScan, remote: bindRemote(plugin, binding) };
  const scan = plugin.create(binding.options, { codes: new Set(binding.codes), words }) as Scan;
  const stream = scan.stream ?? streamByReach(scan, plugin.meta.reach);
  return {
    binding,
    reach: plugin.meta.reach,
    scan: (text, hint, shared) => scan(text, hint, shared).filter((finding) => counts(finding, binding)),
    ...(stream === undefined ? {} : { stream: (hint, codes) => countingStream(stream(hint, codes), binding) }),
  };
}

function counts({ code, score }: Finding, { minScore }: DetectorBinding): boolean {
  return score >= (minScore[code] ?? 0);
}

function countingStream(stream: ScanStream, binding: DetectorBinding): ScanStream {
  const counting = ({ findings, upTo }: Settled): Settled => ({
    findings: findings.filter((finding) => counts(finding, binding)),
    upTo,
  });
  return { push: (piece) => counting(stream.push(piece)), end: () => counting(stream.end()) };
}

function refuseToScan(): never {
  throw new Error('a remote detector has to be asked by a host');
}

function bindRemote(plugin: AnyRemoteDetector, binding: DetectorBinding): BoundRemote {
  const options: unknown = binding.options;
  return {
    service: plugin.service(options),
    requests: (texts) => plugin.requests(texts, options),
    read: (answer, texts) => {
      const findings = plugin.read(answer, texts, options) as readonly (readonly Finding[])[];
      if (findings.length !== texts.length) throw new RemoteAnswerError('the answer does not cover every text');
      return findings.map((found, index) =>
        found
          .filter((finding) => binding.codes.includes(finding.code))
          .map((finding) => checked(finding, texts[index]!.text))
          .filter((finding) => counts(finding, binding))
          .sort((a, b) => a.start - b.start || b.end - a.end),
      );
    },
  };
}

/** A service is not trusted to count: a range outside of its text would mask the wrong characters. */
function checked({ code, start, end, score }: Finding, text: string): Finding {
  const inside = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= text.length;
  if (!inside || !(score >= 0 && score <= 1)) throw new RemoteAnswerError('a finding is not inside its text');
  return { code, start, end, score };
}
