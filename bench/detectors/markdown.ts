/** A Markdown table; cells must already be Markdown text. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** A ratio as a percentage with one decimal, without the sign. */
export function per(ratio: number | null): string {
  return ratio === null ? '–' : (ratio * 100).toFixed(1);
}

export function countOf(count: number): string {
  return count.toLocaleString('en');
}

/** A measured value with its goal: at least `least` or at most `most`. */
export interface Goal {
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
  /** Name of the value if it is not the main figure of the line. */
  readonly of?: string;
}

/**
 * Goals with their results, such as `≥ 95 ✓`; missed goals are shown as well. Values are rounded to one decimal before the comparison,
 * as they are printed.
 */
export function goal(goals: readonly Goal[]): string {
  return goals
    .map(({ value, least, most, of }) => {
      const rounded = Math.round(value * 10) / 10;
      const met = (least === undefined || rounded >= least) && (most === undefined || rounded <= most);
      const bound = least === undefined ? `≤ ${most}` : `≥ ${least}`;
      return `${of === undefined ? '' : `${of} `}${bound} ${met ? '✓' : '✗'}`;
    })
    .join(', ');
}
