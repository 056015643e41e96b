import { isMap, isNode, isScalar, isSeq, parseDocument, type Document, type Node } from 'yaml';
import { formatPolicyFile } from '../format/index.js';
import { ENVIRONMENTS, type Environment } from '../../core/model/compiled-policy.js';
import type { TestFailure } from './compare.js';
import type { PolicyTestResult } from './run-policy-tests.js';
import { EXPECTATION_COLUMNS } from './suite-schema.js';
import type { YamlValue } from './yaml-file.js';

export interface UpdatedSuite {
  /** The file in the format of `weir fmt`, with comments kept; unchanged if nothing could be updated. */
  readonly text: string;
  /** Ids of the tests whose expectations were changed, in the order of the file. */
  readonly updated: readonly string[];
  /** Failed tests that were not changed. */
  readonly refused: readonly { readonly id: string; readonly environment: Environment; readonly because: string }[];
}

type Fields = Readonly<Record<string, YamlValue>>;
/** New values by field of the expectation; null removes the field. */
type Change = ReadonlyMap<string, YamlValue>;

/** The needed change of one test, or one table row, in one environment; `undefined`: it passed or was not run. */
interface Cell {
  readonly id: string;
  readonly environment: Environment;
  /** 0-based; undefined without a table. */
  readonly row: number | undefined;
  readonly change: Change | undefined;
}

const READ = { version: '1.2', schema: 'core', strict: true, logLevel: 'silent' } as const;

/**
 * Updates the expectations of a test file to the results of its tests. If environments differ, they get an `expect@<environment>`; in a
 * table the column of the field is updated. Leaks, findings of real detectors and expired skips cannot be expected: such tests are not
 * changed, nor are results that a table cannot express.
 *
 * @param file a test file without a problem
 * @param results the results of a run of exactly this text
 */
export function updateExpectations(
  file: { readonly path: string; readonly text: string },
  results: readonly PolicyTestResult[],
): UpdatedSuite {
  const document = parseDocument(file.text, READ);
  const suite = document.toJS() as { environments: Environment[]; tests: Fields[] };
  const refused: UpdatedSuite['refused'][number][] = [];
  const updated: string[] = [];
  suite.tests.forEach((test, index) => {
    const cells = cellsOf(test, suite.environments, results, refused);
    if (cells.every(({ change }) => change === undefined)) return;
    const writer = new TestWriter(document, index, test);
    const before = refused.length;
    for (const key of keysOf(cells, test)) {
      const own = cells.filter(({ environment }) => keyFor(test, environment) === key);
      if (test['table'] === undefined) updatePlain(writer, key, own, test);
      else updateTable(writer, key, own, test, refused);
    }
    if (writer.wrote || refused.length === before) updated.push(idOf(test));
  });
  if (updated.length === 0) return { text: file.text, updated, refused };
  const written = document.toString({ lineWidth: 0, singleQuote: true, flowCollectionPadding: true });
  const formatted = formatPolicyFile(file.path, written);
  return { text: formatted.kind === 'formatted' ? formatted.text : written, updated, refused };
}

function idOf({ id }: Fields): string {
  return typeof id === 'string' ? id : '';
}

function keyFor(test: Fields, environment: Environment): string {
  return Object.hasOwn(test, `expect@${environment}`) ? `expect@${environment}` : 'expect';
}

function keysOf(cells: readonly Cell[], test: Fields): string[] {
  return [...new Set(cells.map(({ environment }) => keyFor(test, environment)))];
}

function cellsOf(
  test: Fields,
  ofSuite: readonly Environment[],
  results: readonly PolicyTestResult[],
  refused: UpdatedSuite['refused'][number][],
): Cell[] {
  const environments = (test['environments'] as Environment[] | undefined) ?? ofSuite;
  const count = test['table'] === undefined ? undefined : (test['table'] as { rows: YamlValue[] }).rows.length;
  const rows = count === undefined ? [undefined] : Array.from({ length: count }, (_, row) => row);
  return rows.flatMap((row) =>
    ENVIRONMENTS.filter((environment) => environments.includes(environment)).map((environment) => {
      const id = `${idOf(test)}${row === undefined ? '' : `[${row + 1}]`}`;
      const result = results.find((one) => one.id === id && one.environment === environment);
      if (result?.status !== 'failed') return { id, environment, row, change: undefined };
      const stuck = result.failures.find(({ now }) => now === undefined);
      if (stuck !== undefined) {
        refused.push({ id, environment, because: `a test cannot expect "${stuck.field}"` });
        return { id, environment, row, change: undefined };
      }
      return { id, environment, row, change: changeOf(result.failures) };
    }),
  );
}

/** The new values from failures that a test can expect. */
function changeOf(failures: readonly TestFailure[]): Change {
  return new Map(failures.flatMap(({ field, now }) => (now === undefined ? [] : [[field, now]])));
}

function textOf(change: Change | undefined): string {
  return JSON.stringify(change === undefined ? [] : [...change].sort());
}

/** Updates one expectation that environments share; if their results differ, they get separate expectations. */
function updatePlain(writer: TestWriter, key: string, cells: readonly Cell[], test: Fields): void {
  const rest = cells.some(({ change }) => change === undefined) ? textOf(undefined) : textOf(cells[0]?.change);
  const parted = cells.filter(({ change }) => textOf(change) !== rest);
  for (const { environment, change } of parted) {
    if (change === undefined) continue;
    writer.copyExpectation(test[key] as Fields, `expect@${environment}`);
    for (const [field, now] of change) writer.set(`expect@${environment}`, field, now);
  }
  const common = cells.find(({ change }) => change !== undefined && textOf(change) === rest)?.change;
  for (const [field, now] of common ?? []) writer.set(key, field, now);
}

/** Updates a table test: fields of the expectation apply to all rows, columns to single rows. */
function updateTable(
  writer: TestWriter,
  key: string,
  cells: readonly Cell[],
  test: Fields,
  refused: UpdatedSuite['refused'][number][],
): void {
  const fields = new Set(cells.flatMap(({ change }) => [...(change?.keys() ?? [])]));
  for (const field of fields) {
    const column = columnOf(test, key, field);
    const groups = Map.groupBy(cells, ({ row }) => (column === undefined ? 'all' : row));
    for (const group of groups.values()) {
      const failed = group.filter(({ change }) => change?.has(field) === true);
      const [first] = failed;
      const now = first?.change?.get(field);
      if (first === undefined || now === undefined) continue;
      const agree = group.every(({ change }) => JSON.stringify(change?.get(field)) === JSON.stringify(now));
      const because = !agree
        ? `"${field}" differs between rows or environments: give it a column, or an expect@<environment>`
        : column !== undefined && (column === 'shared' || now === null)
          ? `the new value of "${field}" cannot be written in its column alone`
          : undefined;
      if (because !== undefined) refused.push(...failed.map(({ id, environment }) => ({ id, environment, because })));
      else if (typeof column === 'number') writer.setCell(first.row ?? 0, column, now);
      else writer.set(key, field, typeof now === 'string' ? now.replaceAll('$', '$$$$') : now);
    }
  }
}

/** The column that contains a field; `shared` if the column is also used elsewhere; undefined if no column contains it. */
function columnOf(test: Fields, key: string, field: string): number | 'shared' | undefined {
  const { columns } = test['table'] as unknown as { columns: string[] };
  const own = EXPECTATION_COLUMNS.has(field) && key === 'expect' ? columns.indexOf(field) : -1;
  if (own !== -1) return own;
  const said = (test[key] as Fields | undefined)?.[field];
  const texts = JSON.stringify(said ?? null);
  if (!texts.includes('$')) return undefined;
  const name = typeof said === 'string' ? /^\$([A-Za-z_]\w*)$/.exec(said)?.[1] : undefined;
  if (name === undefined) return /\$[A-Za-z_{]/.test(texts.replaceAll('$$', '')) ? 'shared' : undefined;
  const uses = JSON.stringify(test).match(new RegExp(`\\$(?:${name}\\b|\\{${name}\\})`, 'g')) ?? [];
  return uses.length === 1 ? columns.indexOf(name) : 'shared';
}

/** Edits one test of a document and keeps comments. */
class TestWriter {
  wrote = false;

  constructor(
    private readonly document: Document,
    private readonly index: number,
    private readonly test: Fields,
  ) {}

  copyExpectation(from: Fields, key: string): void {
    if (Object.hasOwn(this.test, key)) return;
    const node = this.document.createNode(from);
    if (isMap(node)) node.flow = true;
    this.document.setIn(['tests', this.index, key], node);
  }

  set(key: string, field: string, now: YamlValue): void {
    const path = ['tests', this.index, key, field];
    // `unavailable: false` is the default.
    if (now === null || (field === 'unavailable' && now === false)) this.document.deleteIn(path);
    else this.put(path, now);
    this.wrote = true;
  }

  setCell(row: number, column: number, now: YamlValue): void {
    this.put(['tests', this.index, 'table', 'rows', row, column], now);
    this.wrote = true;
  }

  private put(path: readonly (string | number)[], now: YamlValue): void {
    const old = this.document.getIn(path, true);
    if (isScalar(old) && typeof now !== 'object') {
      old.value = now;
      return;
    }
    const made = this.document.createNode(now);
    if (isSeq(made)) made.flow = isSeq(old) ? old.flow === true : true;
    if (isNode(old) && isNode(made)) keepComments(old, made);
    this.document.setIn(path, made);
  }
}

function keepComments(from: Node, to: Node): void {
  to.commentBefore = from.commentBefore ?? null;
  to.comment = from.comment ?? null;
}
