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
  /** Scans one text synchronously. Throws for a remote detector. */
  readonly scan: Scan;
  /** Scans one text that arrives in pieces; absent if the detector needs the complete text. */
  readonly stream?: OpenStream;
  /** The context around a finding that the detector reads; absent for a remote detector. */
  readonly reach?: Reach;
  /** Set for a remote detector: the host calls the service instead of `scan`. */
  readonly remote?: BoundRemote;
}

/**
 * Creates the scans of a compiled policy's detectors. Done once per activation: `create` may precompute. Findings below the binding's
 * `minScore` for their code are dropped here.
 *
 * @throws Error when a plugin of the policy is not in the catalog. The compiler rejects such policies, so this one was compiled with
 * another catalog.
 */
export function bindDetectors(policy: Pick<CompiledPolicy, 'detectors'>, catalog: PluginCatalog): BoundDetector[] {
  return [...bindEach(policy, catalog)];
}

/**
 * Like `bindDetectors`, but yields the detectors one by one, so that a host can do other work in between. The detectors share the search
 * for words once all of them are created.
 */
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
  throw new Error('a remote detector can only be called by a host');
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

/** Checks a finding of a service: a range outside its text would mask the wrong characters. */
function checked({ code, start, end, score }: Finding, text: string): Finding {
  const inside = Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start < end && end <= text.length;
  if (!inside) throw new RemoteAnswerError('a finding is not inside its text');
  if (!(score >= 0 && score <= 1)) throw new RemoteAnswerError('the score of a finding is not between 0 and 1');
  return { code, start, end, score };
}
