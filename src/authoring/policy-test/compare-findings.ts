import type { PluginCatalog } from '../../core/detection/catalog.js';
import { compareText } from '../../core/model/compare-text.js';
import type { TestFailure } from './compare.js';
import type { PreparedTest } from './prepared-test.js';
import { expectedFindings, looks } from './test-detectors.js';

/**
 * Checks that running detectors find at least the marked findings, and, with `live`, no others. A detector that the test switches off is
 * not checked.
 */
export function compareFindings(test: PreparedTest, plugins: PluginCatalog): TestFailure[] {
  return readTexts(test, plugins).flatMap(({ detector, path, want, have }): TestFailure[] => {
    if (have === undefined)
      return [failed(`${detector} to scan ${path}`, 'the detector failed', 'the test would be refused as an outage')];
    const missed = want.filter((one) => !have.includes(one));
    const unmarked = test.mode === 'live' ? have.filter((one) => !want.includes(one)) : [];
    return [
      ...(missed.length === 0 ? [] : [failed(`${detector} to find ${list(missed)} at ${path}`, found(have), MISSED)]),
      ...(unmarked.length === 0
        ? []
        : [failed(`${detector} to find only annotated values at ${path}`, list(unmarked), UNMARKED)]),
    ];
  });
}

/** Adds unmarked findings to the failures of a test, as they are the most likely cause. */
export function withUnmarked(
  failures: readonly TestFailure[],
  test: PreparedTest,
  plugins: PluginCatalog,
): readonly TestFailure[] {
  const [first, ...others] = failures;
  if (first === undefined || test.mode !== 'local') return failures;
  const lines = readTexts(test, plugins).flatMap(({ detector, path, want, have }) => {
    const unmarked = (have ?? []).filter((one) => !want.includes(one));
    return unmarked.length === 0 ? [] : [`${detector} found ${list(unmarked)} at ${path}, which is not annotated`];
  });
  return [{ ...first, why: [...first.why, ...lines] }, ...others];
}

const MISSED =
  'annotate the actual finding, write a sample that the detector finds, or set detectors: stub so that annotations replace the findings';
const UNMARKED = 'annotate the finding as {{CODE:text}}, or write another sample';

interface ReadText {
  readonly detector: string;
  readonly path: string;
  /** Code and range of each annotation. */
  readonly want: readonly string[];
  /** Code and range of each finding; undefined if the detector failed. */
  readonly have: readonly string[] | undefined;
}

/** Collects the expected and actual findings of each running detector, per text. */
function readTexts({ call, policy, gathered, test, mode }: PreparedTest, plugins: PluginCatalog): ReadText[] {
  const down = new Set(test.unavailable ?? []);
  const asked = policy.detectors.filter((one) => !down.has(one.key) && looks(one, mode, plugins));
  const texts = [
    { segments: call.request?.segments ?? [], outcomes: gathered.requestOutcomes },
    { segments: call.call.segments, outcomes: gathered.reading.outcomes },
  ];
  return texts.flatMap(({ segments, outcomes }) =>
    asked.flatMap((binding) => {
      const outcome = outcomes.find(({ detector }) => detector === binding.key);
      if (outcome === undefined) return [];
      return segments.map(({ text, path }, index) => ({
        detector: binding.key,
        path,
        want: places(expectedFindings(text, binding, policy, plugins, call.annotations)),
        have:
          outcome.status === 'scanned'
            ? places(outcome.findings.filter(({ segment }) => segment === index))
            : undefined,
      }));
    }),
  );
}

function places(
  findings: readonly { readonly code: string; readonly start: number; readonly end: number }[],
): string[] {
  return findings.map(({ code, start, end }) => `${code} ${start}-${end}`).sort(compareText);
}

function failed(expected: string, actual: string, why: string): TestFailure {
  return { field: 'findings', expected, actual, why: [why] };
}

function found(have: readonly string[]): string {
  return have.length === 0 ? 'nothing' : list(have);
}

function list(places: readonly string[]): string {
  return places.join(', ');
}
