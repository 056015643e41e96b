import type { Figure, FigureValue } from './messages.js';

/** Figures that only grow: the counts of a process stay in the sum after it has ended. */
export function onlyCounts(figures: readonly Figure[]): readonly Figure[] {
  return figures.filter(({ type }) => type === 'counter' || type === 'histogram');
}

/** Adds the counts of one process to those of others. */
export function addUp(former: readonly Figure[], further: readonly Figure[]): readonly Figure[] {
  const figures = new Map(former.map((figure) => [figure.name, figure]));
  for (const figure of further) {
    const known = figures.get(figure.name);
    const values = known === undefined ? figure.values : addedValues(known.values, figure.values);
    figures.set(figure.name, { ...figure, values });
  }
  return [...figures.values()];
}

function addedValues(former: readonly FigureValue[], further: readonly FigureValue[]): readonly FigureValue[] {
  const values = new Map(former.map((each) => [seriesOf(each), each]));
  for (const each of further) {
    const series = seriesOf(each);
    values.set(series, { ...each, value: (values.get(series)?.value ?? 0) + each.value });
  }
  return [...values.values()];
}

function seriesOf({ metricName, labels }: FigureValue): string {
  const sorted = Object.entries(labels).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([metricName, sorted]);
}
