import type { Reach, Scan, StreamableScan, TextHint } from '../detector.js';
import { SHADOW_STRETCH, type NormaliseOptions } from './normalise.js';
import {
  compileSet,
  extentOf,
  LONGEST_WORD,
  VALIDATOR_CONTEXT,
  type CompileSettings,
  type PatternSet,
} from './pattern-set.js';
import { DEFAULT_CONTEXT_UNITS, type Finder, type Pattern } from './pattern.js';
import { MAX_CLUSTER_LENGTH, resolveOverlaps } from './resolve-overlaps.js';
import { encodedScan, scanAll } from './disguised-scan.js';
import { DisguisedStream } from './disguised-stream.js';
import type { LongIslands, ScanOnce } from './island-scan.js';
import { mostBeforeGroup } from './regex-extent.js';
import { SharedReading } from './shared-reading.js';
import { patternSource, streamCandidates, type CandidateSource } from './stream-patterns.js';
import { longestMatch, UndecidedPlaces } from './undecided.js';

/**
 * Builds a scan out of patterns and finders. Compilation checks every regular expression (`regexExtent`) and throws for an unbounded
 * one; a scan is pure, linear in the text, and never throws unless a validator does.
 *
 * @throws RangeError for an unbounded or unreadable regular expression or an unknown trigger, naming the pattern's code.
 */
export function compilePatterns<Code extends string>(
  patterns: readonly (Pattern<Code> | Finder<Code>)[],
  settings: CompileSettings<Code>,
): StreamableScan<Code> {
  const set = compileSet(patterns, settings);
  const normalisation: NormaliseOptions | false =
    settings.normalise === false ? false : { escapes: true, parting: true, ...settings.normalise };
  const undoing: NormaliseOptions | false = normalisation !== false && {
    ...normalisation,
    parting: false,
    disguises: true,
  };
  const wanted = settings.assisting === undefined ? undefined : settings.codes;
  const scanPlain: ScanOnce<Code> = (reading, hint, hidden) => {
    const options = hidden ? undoing : normalisation;
    const shadow = options === false ? undefined : reading.normalised(options);
    const resolved = resolveOverlaps(set.collect(set.read(shadow?.text ?? reading.text, hint, 0, reading)));
    return resolved.flatMap(({ code, start, end, score }) => {
      if (wanted?.has(code) === false) return [];
      return [{ code, score, ...(shadow === undefined ? { start, end } : shadow.original(start, end)) }];
    });
  };
  const long = undoing === false ? undefined : longIslands(set, undoing, settings.codes);
  const scanOnce: ScanOnce<Code> = long === undefined ? scanPlain : Object.assign(scanPlain, { long });
  const scan: Scan<Code> = (original, hint, shared) => {
    const reading = SharedReading.of(original, shared);
    return normalisation === false ? scanOnce(reading, hint, false) : scanAll(scanOnce, reading, hint);
  };
  let plain: CandidateSource<Code> | undefined;
  let hidden: CandidateSource<Code> | undefined;
  return Object.assign(scan, {
    stream: (hint: TextHint | undefined, codes: ReadonlySet<Code>) => {
      plain ??= patternSource(set, { normalisation, codes: settings.codes });
      if (normalisation === false) return streamCandidates(plain, hint, codes);
      const inRuns = encodedScan(scanOnce, hint);
      return new DisguisedStream<Code>({
        plain: streamCandidates(plain, hint, codes),
        hidden: () => {
          hidden ??= patternSource(set, { normalisation: undoing, codes: settings.codes });
          return streamCandidates(hidden, hint, codes);
        },
        inRun: (run) => inRuns.read(run, new SharedReading(run.text)).filter(({ code }) => codes.has(code)),
      });
    },
  });
}

/** The scans of parts with hidden letters that hold longer values; undefined if all matches of the patterns are short. */
function longIslands<Code extends string>(
  set: PatternSet<Code>,
  normalisation: NormaliseOptions,
  codes: ReadonlySet<Code>,
): LongIslands<Code> | undefined {
  const longest = longestMatch(set.compiled);
  if (longest === 0) return undefined;
  let places: UndecidedPlaces<Code> | undefined;
  let source: CandidateSource<Code> | undefined;
  return {
    longest,
    isOpenBefore(place, reading, hint) {
      places ??= new UndecidedPlaces(set.compiled);
      const shadow = reading.normalised(normalisation);
      const text = shadow?.text ?? reading.text;
      const { start } = places.in(set.read(text, hint, 0, reading), codes, 'long').any;
      return start < text.length && (shadow?.original(start, start + 1).start ?? start) < place;
    },
    open(hint) {
      source ??= patternSource(set, { normalisation, codes });
      return streamCandidates(source, hint, codes);
    },
  };
}

/** The reach of the scan that `compilePatterns` builds: the minimum reach that a detector with these patterns must declare. */
export function reachOf(patterns: readonly (Pattern | Finder)[]): Exclude<Reach, 'whole_text'> {
  let behind = 0;
  let longest = 0;
  for (const pattern of patterns) {
    const extent = extentOf(pattern);
    const windows = [pattern.context, pattern.against].flatMap((words) => words?.windowUnits ?? DEFAULT_CONTEXT_UNITS);
    const literalBefore = pattern.trigger.on === 'literals' ? (pattern.trigger.before ?? 0) : 0;
    const prefix =
      'group' in pattern && pattern.group !== undefined ? mostBeforeGroup(pattern.regex, pattern.group) : 0;
    behind = Math.max(
      behind,
      prefix + Math.max(extent.behind, VALIDATOR_CONTEXT, ...windows.map((units) => units + LONGEST_WORD)),
    );
    longest = Math.max(
      longest,
      extent.maxLength + Math.max(extent.beyond, VALIDATOR_CONTEXT),
      literalBefore + LONGEST_WORD,
    );
  }
  return {
    behind: SHADOW_STRETCH * (behind + longest + MAX_CLUSTER_LENGTH),
    ahead: SHADOW_STRETCH * (longest + MAX_CLUSTER_LENGTH),
  };
}
