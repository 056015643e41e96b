/** A thread that scans texts. Only `ScanPool` starts it. */
import { workerData } from 'node:worker_threads';
import { PLUGINS } from '../../plugins/index.js';
import {
  atOnce,
  bindDetectors,
  joinsOf,
  scanPiece,
  SharedReading,
  wholeCatalog,
  type BoundDetector,
} from '../core/index.js';
import { serveTasks } from '../workers/index.js';
import { packFindings } from './packed-findings.js';
import { packJoins } from './packed-joins.js';
import { loadPlugins } from './plugin-registry.js';
import type { DetectorAnswer, JoinAnswer, JoinTask, ScanAnswer, ScanTask, ScanWorkerData } from './scan-protocol.js';

/** The maximum number of sets of detectors that are kept ready; the least recently used set is dropped. */
const MAX_SETS = 8;

const { packages } = workerData as ScanWorkerData;
const catalog = await wholeCatalog(await loadPlugins({ shipped: PLUGINS, packages }));
const sets = new Map<string, readonly BoundDetector[]>();

serveTasks({
  scan: ({ set, bindings, keys, texts }: ScanTask): ScanAnswer => {
    const detectors =
      sets.get(set) ?? (bindings === undefined ? undefined : bindDetectors({ detectors: bindings }, catalog));
    if (detectors === undefined) return 'unknown_set';
    keep(set, detectors);
    // One reading per text, which all detectors share.
    const readings = texts.map(({ window }) => new SharedReading(window));
    return detectors
      .filter(({ binding }) => keys.includes(binding.key))
      .map((detector) => scanTexts(detector, texts, readings));
  },
  join: ({ text }: JoinTask): JoinAnswer => packJoins(atOnce(joinsOf(text, 0))),
});

function scanTexts(
  detector: BoundDetector,
  texts: ScanTask['texts'],
  readings: readonly SharedReading[],
): DetectorAnswer {
  const { key } = detector.binding;
  const before = process.threadCpuUsage();
  const worked = (): number => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
  try {
    const findings = texts.map(({ window, piece, hint }, index) =>
      scanPiece(detector, window, piece, hint, readings[index]!),
    );
    return { key, workedMs: worked(), findings: packFindings(findings) };
  } catch {
    // The error's message may quote the text: it is dropped, the answer says which detector failed.
    return { key, workedMs: worked() };
  }
}

function keep(set: string, detectors: readonly BoundDetector[]): void {
  sets.delete(set);
  sets.set(set, detectors);
  const [oldest] = sets.keys();
  if (sets.size > MAX_SETS && oldest !== undefined) sets.delete(oldest);
}
