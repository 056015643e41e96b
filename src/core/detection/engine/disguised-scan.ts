import { append } from '../../steps/steps.js';
import type { StreamableScan, TextHint } from '../detector.js';
import type { Finding } from '../../model/finding.js';
import { DisguisedStream } from './disguised-stream.js';
import { EncodedScan } from './encoded-scan.js';
import { scanIslands, type IslandStream, type ScanOnce } from './island-scan.js';
import { joinReadings } from './join-readings.js';
import { SharedReading } from './shared-reading.js';

/** Maximum depth of nested encoded runs: base64 in base64. */
const DEEPEST = 2;

/**
 * Scans the text as written, its parts with hidden letters, and its decoded runs. Most texts have neither such parts nor such runs.
 */
export function scanAll<Code extends string>(
  scan: ScanOnce<Code>,
  reading: SharedReading,
  hint: TextHint | undefined,
  depth = 0,
): readonly Finding<Code>[] {
  const plain = scan(reading, hint, false);
  const { islands } = reading;
  const runs = depth < DEEPEST ? reading.runs : [];
  if (islands.length === 0 && runs.length === 0) return plain;
  const findings = [...plain];
  append(findings, scanIslands(scan, reading, hint));
  const inRuns = encodedScan(scan, hint, depth);
  for (const { place, reading: inRun } of runs) append(findings, inRuns.read(place, inRun));
  return findings.length === plain.length ? plain : joinReadings(findings);
}

/** A scan of the decoded runs of a text. @param depth number of encodings around the text */
export function encodedScan<Code extends string>(
  scan: ScanOnce<Code>,
  hint: TextHint | undefined,
  depth = 0,
): EncodedScan<Code> {
  return new EncodedScan((reading) => scanAll(scan, reading, hint, depth + 1));
}

/**
 * Builds a scan out of a search in one reading of a text: it also reads the parts with hidden letters, with the letters decoded. Encoded
 * runs are not read, since a short word may occur in decoded bytes by chance.
 */
export function withHiddenLetters<Code extends string>(
  scan: ScanOnce<Code>,
  stream: (hidden: boolean, hint: TextHint | undefined, codes: ReadonlySet<Code>) => IslandStream<Code>,
): StreamableScan<Code> {
  return Object.assign(
    (text: string, hint?: TextHint, shared?: SharedReading) =>
      scanAll(scan, SharedReading.of(text, shared), hint, DEEPEST),
    {
      stream: (hint: TextHint | undefined, codes: ReadonlySet<Code>) =>
        new DisguisedStream<Code>({
          plain: stream(false, hint, codes),
          hidden: () => stream(true, hint, codes),
        }),
    },
  );
}
