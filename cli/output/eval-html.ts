import type { ConfusionCell, Miss } from '../../src/authoring/index.js';
import { megabytesPerSecond, percent, sizeOf, type EvalReport } from './eval-table.js';

/** The text of a missed finding, known only under `--show-content`. */
export type ContentOf = (miss: Miss) => string | undefined;

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1a1a1a; background: #fff }
table { border-collapse: collapse; margin: 1rem 0 2rem }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #ddd; text-align: right; font-variant-numeric: tabular-nums }
th:first-child, td:first-child, td.text { text-align: left }
thead th { border-bottom: 2px solid #888 }
td.right { background: #e5f4e8 } td.wrong { background: #fbe3e0 } td.zero { color: #aaa }
code { font: 13px ui-monospace, monospace }
.wide { overflow-x: auto }
@media (prefers-color-scheme: dark) {
  body { color: #e8e8e8; background: #161616 } th, td { border-color: #3a3a3a }
  td.right { background: #1d3b25 } td.wrong { background: #47201c }
}`;

/** The report as one HTML page without scripts or external resources: scores, confusion matrix and misses. */
export function evalHtml(report: EvalReport, contentOf: ContentOf): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>weir eval</title><style>${STYLE}</style></head><body>`,
    '<h1>Detector evaluation</h1>',
    `<p>${escape(overview(report))}</p>`,
    scores(report),
    '<h2>Confusion matrix</h2>',
    '<p>Rows are labels, columns are findings. The first column counts labels without a finding, the last row findings without a label. A finding with the right code and a wrong range counts as correct in this table and as a miss in the table above.</p>',
    `<div class="wide">${confusion(report.confusion)}</div>`,
    '<h2>Misses</h2>',
    misses(report, contentOf),
    '</body></html>',
    '',
  ].join('\n');
}

function overview(report: EvalReport): string {
  const speed = megabytesPerSecond(report);
  const { records } = report;
  return [
    `${report.texts} texts, ${sizeOf(report)}${speed === null ? '' : ` at ${speed.toFixed(1)} MB/s`}.`,
    `F1 over all spans ${percent(report.micro.f1)} %, mean over the codes ${percent(report.macroF1)} %.`,
    ...(records === null
      ? []
      : [`Whole texts: recall ${percent(records.recall)} %, false positives ${percent(records.falsePositiveRate)} %.`]),
    ...(report.failedScans === 0 ? [] : [`${report.failedScans} scans failed.`]),
  ].join(' ');
}

function scores({ codes, micro }: EvalReport): string {
  const rows = [...codes, micro].map(
    (score) =>
      `<tr><td><code>${escape(score.code)}</code></td><td>${score.gold}</td><td>${score.truePositives}</td>` +
      `<td>${score.falseNegatives}</td><td>${score.falsePositives}</td><td>${percent(score.precision)}</td>` +
      `<td>${percent(score.recall)}</td><td>${percent(score.f1)}</td>` +
      `<td>${score.falseHitsPerMb === null ? '-' : score.falseHitsPerMb.toFixed(1)}</td></tr>`,
  );
  const titles = ['code', 'labelled', 'found', 'missed', 'false', 'precision %', 'recall %', 'F1 %', 'false hits/MB'];
  return table(titles, rows);
}

function confusion(cells: readonly ConfusionCell[]): string {
  const names = (pick: (cell: ConfusionCell) => string | null): string[] =>
    [...new Set(cells.map(pick))].filter((name) => name !== null).sort();
  const gold: (string | null)[] = [...names(({ gold: name }) => name), null];
  const found: (string | null)[] = [null, ...names(({ found: name }) => name)];
  const rows = gold.map((label) => {
    const counts = found.map((finding) => {
      const count = cells.find((cell) => cell.gold === label && cell.found === finding)?.count ?? 0;
      const kind = count === 0 ? 'zero' : label === finding ? 'right' : 'wrong';
      return `<td class="${kind}">${count}</td>`;
    });
    return `<tr><td>${nameOf(label, 'no label')}</td>${counts.join('')}</tr>`;
  });
  return table(['', ...found.map((finding) => finding ?? 'nothing')], rows);
}

function misses({ misses: listed, missesNotListed }: EvalReport, contentOf: ContentOf): string {
  if (listed.length === 0) return '<p>None.</p>';
  const withContent = listed.some((miss) => contentOf(miss) !== undefined);
  const rows = listed.map((miss) => {
    const content = withContent ? `<td class="text"><code>${escape(contentOf(miss) ?? '')}</code></td>` : '';
    return (
      `<tr><td>${miss.kind === 'missed' ? 'missed' : 'false hit'}</td><td><code>${escape(miss.code)}</code></td>` +
      `<td class="text">${escape(String(miss.id))}</td><td>${miss.start}</td><td>${miss.end}</td>` +
      `<td>${nameOf(miss.instead, '')}</td>${content}</tr>`
    );
  });
  const titles = ['', 'code', 'text', 'start', 'end', 'counterpart', ...(withContent ? ['content'] : [])];
  const rest = missesNotListed === 0 ? '' : `<p>${missesNotListed} more misses are counted above but not listed.</p>`;
  return table(titles, rows) + rest;
}

function table(titles: readonly string[], rows: readonly string[]): string {
  const head = titles.map((title) => `<th>${escape(title)}</th>`).join('');
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}

function nameOf(code: string | null, otherwise: string): string {
  return code === null ? escape(otherwise) : `<code>${escape(code)}</code>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
