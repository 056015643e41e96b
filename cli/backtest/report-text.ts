import type { BacktestReport, Share } from '../../src/authoring/index.js';
import { columns } from '../output/columns.js';

const MAX_NAMES = 5;

/** The report of a backtest as text. */
export function backtestText(report: BacktestReport): string {
  const { decisions, flips, cannotTell, own } = report;
  const rows = [
    ...flips.map(({ from, to, ...share }) => [`${from} → ${to}`, number(share.count), interval(share)]),
    ['other rules, same decision', number(report.otherRules), ''],
    ['unchanged', number(report.unchanged), ''],
    ['cannot tell', number(cannotTell.count), because(report)],
  ];
  const parts = [
    `${number(decisions)} recorded decisions\n`,
    columns(['NOW → NEW', 'COUNT', 'SHARE'], rows),
    names('by rule', report.byRule),
    names('by app', report.byApp),
    names('by key', report.byKey),
    examples(report),
    own.decisions === 0
      ? ''
      : `records made by this policy   ${number(own.decisions - own.notReproduced - own.cannotTell)} of ${number(own.decisions)} reproduced\n`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function because({ cannotTell }: BacktestReport): string {
  return cannotTell.because
    .slice(0, MAX_NAMES)
    .map(({ fact, count }) => `${fact} (${number(count)})`)
    .join(', ');
}

function names(title: string, counts: BacktestReport['byRule']): string {
  if (counts.length === 0) return '';
  const shown = counts.slice(0, MAX_NAMES).map(({ name, count }) => `${clean(name)} ${number(count)}`);
  return `${title}   ${shown.join(' · ')}${counts.length > MAX_NAMES ? ' · …' : ''}\n`;
}

function examples({ examples: some }: BacktestReport): string {
  if (some.length === 0) return '';
  const rows = some
    .slice(0, MAX_NAMES)
    .map((flip) => [
      flip.event,
      `${flip.from} → ${flip.to}`,
      clean(flip.app),
      flip.rules.join(' '),
      `weir explain ${flip.event}`,
    ]);
  return columns(['EXAMPLE', '', 'APP', 'RULES', ''], rows);
}

/** A proportion with its 95 % confidence interval. */
export function interval({ share, low, high }: Share): string {
  return `${percent(share)} (${percent(low)} to ${percent(high)})`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.0005 ? 4 : 2)} %`;
}

function number(count: number): string {
  return count.toLocaleString('en');
}

function clean(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
}
