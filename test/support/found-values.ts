import { bindDetectors, runScan, type Segment } from '../../src/core/index.js';
import { PLUGINS } from '../../plugins/index.js';

const bindings = PLUGINS.detectors
  .filter(({ meta }) => ['pii', 'secrets'].includes(meta.id))
  .map(({ meta: { id, version, revision, options, codes } }) => ({
    key: id,
    plugin: id,
    version,
    revision,
    options: options.parse({}) as unknown,
    codes: Object.keys(codes).filter((code) => codes[code]!.enabled),
    minScore: Object.fromEntries(Object.entries(codes).map(([code, info]) => [code, info.minScore])),
    timeoutMs: Number.POSITIVE_INFINITY,
  }));
const detectors = bindDetectors({ detectors: bindings }, PLUGINS);
const LIMITS = { nowMs: () => 0, deadlineMs: 1, neighbours: true };

/** A text of a call at this path. */
export const part = (text: string, path: string): Segment => ({ text, path, role: 'user', ref: 0, key: 'text' });

/** The parts of one message. */
export const parts = (...texts: string[]): Segment[] =>
  texts.map((text, index) => part(text, `messages[0].content[${index}].text`));

/** The personal data and secrets in the texts of a request, each as its code, a colon and the matched text. */
export async function masked(segments: readonly Segment[]): Promise<string[]> {
  const outcomes = await runScan(detectors, segments, LIMITS);
  const found = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
  return found.map(({ code, segment, start, end }) => `${code}:${segments[segment]!.text.slice(start, end)}`);
}
