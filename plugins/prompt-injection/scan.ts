import {
  resolveOverlaps,
  SharedReading,
  type Finding,
  type Scan,
  type ScanSettings,
} from '../../src/core/plugin-api.js';
import { decodeRuns, respellings } from './decode.js';
import type { ModelParameters } from './model.js';
import type { InjectionCode } from './phrase.js';
import { createReader, type Reader } from './reader.js';
import type { FindSigns, Sign } from './signs.js';
import { survey } from './survey.js';

/** Creates the detector's scan for the requested codes with the given model. */
export function createScan(
  { codes, words }: ScanSettings<InjectionCode>,
  parameters: ModelParameters,
): Scan<InjectionCode> {
  const { read, signs } = createReader(parameters, words);
  return (text, _hint, shared) => {
    const reading = SharedReading.of(text, shared);
    const shadow = reading.normalised({ stripAccents: true, escapes: true });
    const plain = read(shadow?.text ?? text, reading);
    const findings = plain.filter((finding) => codes.has(finding.code));
    const original =
      shadow === undefined
        ? findings
        : findings.map((finding) => ({ ...finding, ...shadow.original(finding.start, finding.end) }));
    const hidden = inHiddenLetters(reading, read).filter((finding) => codes.has(finding.code));
    if (!codes.has('encoded_payload'))
      return hidden.length === 0 ? original : resolveOverlaps([...original, ...hidden]);
    return resolveOverlaps([...original, ...hidden, ...encoded(text, strongest(plain), read, signs)]);
  };
}

/** Minimum difference between the scores of a part with its letters decoded and as it is written. A smaller difference may be chance. */
const LEAST_GAIN = 0.1;

/** Injections in the parts with hidden letters. They count only if decoding the letters makes them more certain. */
function inHiddenLetters(reading: SharedReading, read: Reader): Finding<InjectionCode>[] {
  return reading.islands.flatMap(({ place, reading: part }) => {
    const shadow = part.normalised({ stripAccents: true, escapes: true, disguises: true });
    if (shadow === undefined) return [];
    const found = read(shadow.text, part);
    if (strongest(found) < LEAST_DECODED) return [];
    const written = part.normalised({ stripAccents: true, escapes: true })?.text ?? part.text;
    const least = strongest(read(written, part)) + LEAST_GAIN;
    return found
      .filter(({ score }) => score > least)
      .map(({ code, score, ...range }) => {
        const { start, end } = shadow.original(range.start, range.end);
        return { code, score, start: start + place.from, end: end + place.from };
      });
  });
}

/**
 * Injections hidden in an encoding, or in an encoding of an encoding. A whole text converted from another spelling counts only if its
 * score is higher than that of the text itself, and only by signs that the text itself does not contain.
 */
function encoded(text: string, plain: number, read: Reader, signs: FindSigns): Finding<InjectionCode>[] {
  const findings: Finding<InjectionCode>[] = [];
  const seen = survey(text);
  for (const run of decodeRuns(text, seen)) {
    const score = Math.max(
      strongest(read(run.text)),
      ...decodeRuns(run.text).map((inner) => strongest(read(inner.text))),
    );
    if (score >= LEAST_DECODED)
      findings.push({ code: 'encoded_payload', start: run.start, end: run.end, score: Math.min(1, score + 0.1) });
  }
  let written: readonly Sign[] | undefined;
  for (const spelling of respellings(text, seen)) {
    const revealed = signs(spelling);
    if (strongest(revealed) <= plain) continue;
    written ??= signs(text);
    const score = strongest(withoutWritten(revealed, written, spelling.length === text.length));
    if (score > plain) findings.push({ code: 'encoded_payload', start: 0, end: text.length, score });
  }
  return findings;
}

/**
 * The signs of a converted text that are not in the text as it is written: one that the model does not confirm there is not hidden. A
 * conversion that keeps the length keeps the places of signs; one that joins letters keeps their number.
 */
function withoutWritten(revealed: readonly Sign[], written: readonly Sign[], isInPlace: boolean): readonly Sign[] {
  return revealed.filter((sign) => {
    const alike = (other: Sign): boolean => other.features[0] === sign.features[0];
    if (isInPlace) return !written.some((other) => alike(other) && other.start === sign.start);
    return revealed.filter(alike).length > written.filter(alike).length;
  });
}

/** Minimum score of a decoded text; with a lower score, it is most likely not text, or harmless. */
const LEAST_DECODED = 0.5;

function strongest(findings: readonly { readonly score: number }[]): number {
  return findings.reduce((most, { score }) => Math.max(most, score), 0);
}
