import { ACTIONS, cellOf, decisionProblems, readingProblems, SEEDS } from './check-cell.js';
import { FORMS, SURFACES, type Form } from './forms.js';
import { LOCATIONS, type Location } from './locations.js';

/** The results of the matrix: the rows of a table, and the number of judged calls. */
export interface MatrixPage {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly calls: number;
  readonly red: number;
}

/** Runs the whole matrix, with the same random calls every time. */
export async function matrixPage(): Promise<MatrixPage> {
  let calls = 0;
  let red = 0;
  const cell = async (location: Location, surface: string): Promise<string> => {
    const parts: string[] = [];
    for (const form of FORMS.filter((each) => each.surface === surface)) {
      const result = await checked(form, location);
      calls += result.calls;
      red += result.red;
      if (result.calls > 0)
        parts.push(`${mark(result.red, form, location)} ${form.name}${result.streamed ? ' ⇉' : ''}`);
    }
    return parts.join('<br>') || '–';
  };
  const rows: string[][] = [];
  for (const location of LOCATIONS) {
    const cells: string[] = [];
    for (const surface of SURFACES) cells.push(await cell(location, surface));
    rows.push([location.name, location.kind, ...cells]);
  }
  return { heads: ['the canary stands in', 'of the', ...SURFACES], rows, calls, red };
}

function mark(red: number, { unjudged }: Form, { name }: Location): string {
  const reason = unjudged?.[name];
  return red > 0 ? '✗' : reason === undefined ? '✓' : `(${reason})`;
}

async function checked(form: Form, location: Location) {
  let calls = 0;
  let red = 0;
  let streamed = false;
  for (const isStreamed of [false, true]) {
    for (const seed of SEEDS.slice(0, 4)) {
      const cell = cellOf(form, location, isStreamed, seed);
      if (cell === undefined) continue;
      streamed ||= isStreamed && form.path !== undefined;
      for (const action of ACTIONS) {
        calls++;
        if ([...readingProblems(cell), ...(await decisionProblems(cell, action))].length > 0) red++;
      }
    }
  }
  return { calls, red, streamed };
}
