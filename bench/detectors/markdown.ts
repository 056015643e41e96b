/** A table of Markdown; cells are text already. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** A ratio as per cent with one decimal. */
export function per(ratio: number | null): string {
  return ratio === null ? '–' : (ratio * 100).toFixed(1);
}

export function countOf(count: number): string {
  return count.toLocaleString('en');
}

/** What was reached, and what the project wants to reach: at least or at most. */
export interface Goal {
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
  /** What is meant, when it is not the line's main figure. */
  readonly of?: string;
}

/** `≥ 95 ✓`: a goal that is missed stays on the page. Compared as printed, with one decimal. */
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
