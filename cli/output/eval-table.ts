import type { CodeScore, Evaluation } from '../../src/authoring/index.js';
import type { Colours } from './colour.js';

/** The measured results, with the speed measured by the host. */
export interface EvalReport extends Evaluation {
  /** Time in detectors, in milliseconds. */
  readonly scanMs: number;
  /** Number of failed scans. */
  readonly failedScans: number;
}

/** With fewer bytes, the measured time is mostly startup and says nothing about speed. */
const LEAST_BYTES = 100_000;

/** Megabytes (10^6 bytes) of UTF-8 text per second; null for too little text or time to measure. */
export function megabytesPerSecond({ bytes, scanMs }: Pick<EvalReport, 'bytes' | 'scanMs'>): number | null {
  return scanMs < 1 || bytes < LEAST_BYTES ? null : bytes / 1e6 / (scanMs / 1_000);
}

/** The size of the texts in kB or MB. */
export function sizeOf({ bytes }: Pick<EvalReport, 'bytes'>): string {
  return bytes < LEAST_BYTES ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(2)} MB`;
}

const COLUMNS = ['code', 'labelled', 'found', 'missed', 'false', 'precision', 'recall', 'F1', 'false/MB'] as const;

/** The report as a table for a terminal, with one row per code and a total. */
export function evalTable(report: EvalReport, paint: Colours): string {
  const rows = [...report.codes, report.micro].map(cells);
  const widths = COLUMNS.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ');
  return [
    paint.bold(line(COLUMNS)),
    ...rows.slice(0, -1).map(line),
    paint.dim('-'.repeat(widths.reduce((sum, width) => sum + width + 2, -2))),
    ...rows.slice(-1).map(line),
    '',
    ...summary(report),
  ].join('\n');
}

function summary(report: EvalReport): string[] {
  const speed = megabytesPerSecond(report);
  const { records } = report;
  return [
    `texts      ${report.texts}, ${sizeOf(report)}${speed === null ? '' : `, ${speed.toFixed(1)} MB/s`}`,
    `macro F1   ${percent(report.macroF1)}`,
    ...(records === null
      ? []
      : [
          `whole texts: precision ${percent(records.precision)}, recall ${percent(records.recall)}, F1 ${percent(records.f1)}, ` +
            `false positives ${percent(records.falsePositiveRate)} ` +
            `(${records.truePositives} of ${records.positives} positive texts detected, ` +
            `${records.falsePositives} of ${records.negatives} harmless texts)`,
        ]),
    ...(report.failedScans === 0 ? [] : [`failed scans: ${report.failedScans}`]),
  ];
}

function cells(score: CodeScore): string[] {
  return [
    score.code,
    String(score.gold),
    String(score.truePositives),
    String(score.falseNegatives),
    String(score.falsePositives),
    percent(score.precision),
    percent(score.recall),
    percent(score.f1),
    score.falseHitsPerMb === null ? '-' : score.falseHitsPerMb.toFixed(1),
  ];
}

/** A ratio as per cent with one decimal; `-` for an undefined ratio. */
export function percent(ratio: number | null): string {
  return ratio === null ? '-' : (ratio * 100).toFixed(1);
}
