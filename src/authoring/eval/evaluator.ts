import type {
  CodeScore,
  ConfusionCell,
  Evaluation,
  GoldSpan,
  LabelledText,
  Miss,
  RecordScore,
  ScoredFinding,
} from './evaluation.js';
import { intersectionOverUnion, matchSpans } from './match-spans.js';

export interface EvaluatorOptions {
  /** The intersection over union from which a finding counts as correct. Default 0.5. */
  readonly minOverlap?: number;
  /** The maximum number of listed misses per code and kind; all misses are counted. Default 50. */
  readonly listedMisses?: number;
}

interface Counts {
  gold: number;
  truePositives: number;
  falsePositives: number;
  falseNegatives: number;
  /** Findings in texts without any span. */
  harmlessHits: number;
}

/**
 * Evaluates labelled texts one at a time and keeps counts and a limited list of misses, because a corpus may be larger than memory.
 *
 * A finding is correct if a span has the same code and they overlap by at least `minOverlap`. Findings of codes outside a text's scope
 * are not judged.
 */
export class Evaluator {
  private readonly minOverlap: number;
  private readonly listLimit: number;
  private readonly counts = new Map<string, Counts>();
  private readonly confusion = new Map<string, ConfusionCell>();
  private readonly misses: Miss[] = [];
  private readonly listed = new Map<string, number>();
  private missesNotListed = 0;
  private texts = 0;
  private bytes = 0;
  /**
   * UTF-8 bytes of texts without spans: the sum over all of these texts, over the texts without a scope, and, per code, over the texts
   * with the code in their scope.
   */
  private harmlessBytes = 0;
  private unscopedHarmlessBytes = 0;
  private readonly harmlessBytesOf = new Map<string, number>();
  private readonly records = { positives: 0, negatives: 0, truePositives: 0, falsePositives: 0 };

  constructor(options: EvaluatorOptions = {}) {
    this.minOverlap = options.minOverlap ?? 0.5;
    this.listLimit = options.listedMisses ?? 50;
  }

  add(text: LabelledText, found: readonly ScoredFinding[]): void {
    this.texts++;
    this.bytes += text.bytes;
    if (text.scope?.length === 0) return;
    const inScope = (code: string): boolean => text.scope === undefined || text.scope.includes(code);
    const findings = withoutRepeats(found.filter(({ code }) => inScope(code)));
    const spans = text.spans.filter(({ code }) => inScope(code));
    if (text.positive !== undefined) this.addRecord(text.positive, findings.length > 0);
    if (text.spans.length === 0 && text.positive !== true) this.addHarmless(text, findings);
    if (text.spans.length === 0 && text.positive === true) return;
    this.addSpans(text, spans, findings);
  }

  /** The misses listed so far, in the order of the texts, for a host that adds the missed words while it still has the text. */
  get listedMisses(): readonly Miss[] {
    return this.misses;
  }

  result(): Evaluation {
    const codes = [...this.counts.keys()].sort().map((code) => this.scoreOf(code));
    const all = [...this.counts.values()].reduce(sum, emptyCounts());
    const withGold = codes.filter(({ gold }) => gold > 0);
    return {
      texts: this.texts,
      bytes: this.bytes,
      codes,
      micro: score('all', all, this.harmlessBytes),
      macroF1:
        withGold.length === 0 ? null : withGold.reduce((total, { f1 }) => total + (f1 ?? 0), 0) / withGold.length,
      records: this.records.positives + this.records.negatives === 0 ? null : recordScore(this.records),
      confusion: [...this.confusion.values()].sort((a, b) => b.count - a.count),
      misses: this.misses,
      missesNotListed: this.missesNotListed,
    };
  }

  private addRecord(positive: boolean, noticed: boolean): void {
    if (positive) this.records.positives++;
    else this.records.negatives++;
    if (noticed && positive) this.records.truePositives++;
    if (noticed && !positive) this.records.falsePositives++;
  }

  private addHarmless(text: LabelledText, findings: readonly ScoredFinding[]): void {
    this.harmlessBytes += text.bytes;
    if (text.scope === undefined) this.unscopedHarmlessBytes += text.bytes;
    for (const code of text.scope ?? []) {
      this.harmlessBytesOf.set(code, (this.harmlessBytesOf.get(code) ?? 0) + text.bytes);
    }
    for (const { code } of findings) this.countsOf(code).harmlessHits++;
  }

  private addSpans(text: LabelledText, spans: readonly GoldSpan[], findings: readonly ScoredFinding[]): void {
    const { pairs, unmatchedGold, unmatchedFindings } = matchSpans(spans, findings, this.minOverlap);
    for (const { code, doubtful } of spans) if (doubtful !== true) this.countsOf(code).gold++;
    for (const [index] of pairs) {
      const span = spans[index]!;
      if (span.doubtful === true) continue;
      this.countsOf(span.code).truePositives++;
      this.confuse(span.code, span.code);
    }
    for (const index of unmatchedGold) {
      const span = spans[index]!;
      if (span.doubtful === true) continue;
      this.countsOf(span.code).falseNegatives++;
      const instead = widestOverlap(span, findings);
      this.confuse(span.code, instead);
      this.list({ kind: 'missed', id: text.id, code: span.code, start: span.start, end: span.end, instead });
    }
    for (const index of unmatchedFindings) {
      const finding = findings[index]!;
      if (spans.some((span) => span.doubtful === true && intersectionOverUnion(span, finding) > 0)) continue;
      this.countsOf(finding.code).falsePositives++;
      const instead = widestOverlap(finding, spans);
      if (instead === null) this.confuse(null, finding.code);
      const { code, start, end } = finding;
      this.list({ kind: 'false_hit', id: text.id, code, start, end, instead });
    }
  }

  private scoreOf(code: string): CodeScore {
    return score(code, this.countsOf(code), this.unscopedHarmlessBytes + (this.harmlessBytesOf.get(code) ?? 0));
  }

  private countsOf(code: string): Counts {
    let counts = this.counts.get(code);
    if (counts === undefined) this.counts.set(code, (counts = emptyCounts()));
    return counts;
  }

  private confuse(gold: string | null, found: string | null): void {
    const key = JSON.stringify([gold, found]);
    this.confusion.set(key, { gold, found, count: (this.confusion.get(key)?.count ?? 0) + 1 });
  }

  private list(miss: Miss): void {
    const key = `${miss.kind} ${miss.code}`;
    const listed = this.listed.get(key) ?? 0;
    this.listed.set(key, listed + 1);
    if (listed < this.listLimit) this.misses.push(miss);
    else this.missesNotListed++;
  }
}

/** Drops duplicates: equal findings of two detectors count once. */
function withoutRepeats(findings: readonly ScoredFinding[]): ScoredFinding[] {
  return [...new Map(findings.map((finding) => [`${finding.code} ${finding.start} ${finding.end}`, finding])).values()];
}

function widestOverlap(
  range: { readonly start: number; readonly end: number },
  others: readonly { readonly code: string; readonly start: number; readonly end: number }[],
): string | null {
  let best: string | null = null;
  let most = 0;
  for (const other of others) {
    const overlap = intersectionOverUnion(range, other);
    if (overlap > most) {
      most = overlap;
      best = other.code;
    }
  }
  return best;
}

function emptyCounts(): Counts {
  return { gold: 0, truePositives: 0, falsePositives: 0, falseNegatives: 0, harmlessHits: 0 };
}

function sum(a: Counts, b: Counts): Counts {
  return {
    gold: a.gold + b.gold,
    truePositives: a.truePositives + b.truePositives,
    falsePositives: a.falsePositives + b.falsePositives,
    falseNegatives: a.falseNegatives + b.falseNegatives,
    harmlessHits: a.harmlessHits + b.harmlessHits,
  };
}

function score(code: string, counts: Counts, harmlessBytes: number): CodeScore {
  const { gold, truePositives, falsePositives, falseNegatives, harmlessHits } = counts;
  return {
    code,
    gold,
    truePositives,
    falsePositives,
    falseNegatives,
    ...ratios(truePositives, falsePositives, falseNegatives),
    falseHitsPerMb: harmlessBytes === 0 ? null : harmlessHits / (harmlessBytes / 1e6),
  };
}

function recordScore(records: {
  positives: number;
  negatives: number;
  truePositives: number;
  falsePositives: number;
}): RecordScore {
  const { positives, negatives, truePositives, falsePositives } = records;
  return {
    ...records,
    ...ratios(truePositives, falsePositives, positives - truePositives),
    falsePositiveRate: negatives === 0 ? null : falsePositives / negatives,
  };
}

function ratios(truePositives: number, falsePositives: number, falseNegatives: number) {
  const found = truePositives + falsePositives;
  const gold = truePositives + falseNegatives;
  return {
    precision: found === 0 ? null : truePositives / found,
    recall: gold === 0 ? null : truePositives / gold,
    f1: found + gold === 0 ? null : (2 * truePositives) / (found + gold),
  };
}
