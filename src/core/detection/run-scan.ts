import type { Segment } from '../call/call.js';
import type { BoundDetector } from './bind.js';
import type { DetectorOutcome, LocatedFinding } from './scan.js';

/** Time comes from the host: core has no clock. */
export interface ScanLimits {
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** For all detectors together, from the start of the scan. */
  readonly deadlineMs: number;
  /** Lets other work run between segments; called when a scan has held the thread for a while. */
  pause?(): Promise<void>;
}

const PAUSE_AFTER_MS = 10;

/**
 * Runs every detector over every segment. Nothing is cut short by a hit: the fact snapshot needs all findings.
 * The deadline and each detector's own `timeoutMs` are checked between segments; a detector that throws, runs late or
 * was never reached is a `failed` outcome, and what it had found until then does not count.
 */
export async function runScan(
  detectors: readonly BoundDetector[],
  segments: readonly Segment[],
  limits: ScanLimits,
): Promise<DetectorOutcome[]> {
  const startedMs = limits.nowMs();
  const outcomes: DetectorOutcome[] = [];
  let pausedMs = startedMs;
  for (const detector of detectors) {
    const { key, plugin, revision, timeoutMs } = detector.binding;
    const identity = { detector: key, plugin, revision };
    const detectorStartedMs = limits.nowMs();
    if (detectorStartedMs - startedMs > limits.deadlineMs) {
      outcomes.push({ ...identity, status: 'failed', reason: 'not_run' });
      continue;
    }
    const findings: LocatedFinding[] = [];
    let reason: 'failed' | 'timeout' | undefined;
    for (let index = 0; index < segments.length && reason === undefined; index++) {
      reason = scanSegment(detector, segments[index]!, index, findings);
      const nowMs = limits.nowMs();
      if (nowMs - startedMs > limits.deadlineMs || nowMs - detectorStartedMs > timeoutMs) reason ??= 'timeout';
      if (limits.pause !== undefined && nowMs - pausedMs > PAUSE_AFTER_MS) {
        await limits.pause();
        pausedMs = limits.nowMs();
      }
    }
    outcomes.push(
      reason === undefined ? { ...identity, status: 'scanned', findings } : { ...identity, status: 'failed', reason },
    );
  }
  return outcomes;
}

function scanSegment(
  detector: BoundDetector,
  segment: Segment,
  index: number,
  into: LocatedFinding[],
): 'failed' | undefined {
  try {
    const hint = { role: segment.role, ...(segment.key === undefined ? {} : { key: segment.key }) };
    for (const finding of detector.scan(segment.text, hint)) {
      into.push({ ...finding, detector: detector.binding.key, segment: index });
    }
    return undefined;
  } catch {
    // The error's message may quote the text: it is dropped, the outcome says which detector failed.
    return 'failed';
  }
}
