import type { z } from 'zod';
import { ENVIRONMENTS, type Environment } from '../../core/model/compiled-policy.js';
import {
  expectation,
  EXPECTATION_COLUMNS,
  readableHead,
  testCase,
  testTable,
  type Expectation,
  type SuiteHead,
  type TestCaseFields,
} from './suite-schema.js';
import type { DetectorMode } from './readings.js';
import { plainWords } from '../../core/policy/source/plain-words.js';
import { substitute } from './substitute.js';
import { YamlFile, type Path, type YamlValue } from './yaml-file.js';

/** One test after its table and the suite's defaults were applied. */
export interface TestCase extends Omit<TestCaseFields, 'expect'> {
  /** The test's id in the file; for a table row with its 1-based number: `budget-boundary[2]`. */
  readonly id: string;
  readonly file: YamlFile;
  readonly at: Path;
  readonly environments: Environment[];
  readonly expectIn: ReadonlyMap<Environment, Expectation>;
  /** The suite's own `detectors:`; the caller of the runner may override it. */
  readonly suiteDetectors?: DetectorMode;
}

type Fields = { [key: string]: YamlValue };

/** Reads one test file. Problems are added to `file.problems`; a test that cannot be parsed is skipped. */
export function readSuite(file: YamlFile): TestCase[] {
  if (file.problems.length > 0) return [];
  const head = parse(readableHead, file, [], file.value);
  if (head === undefined) return [];
  if (head.tests.length === 0) file.report('T005', ['tests'], 'the file contains no test');
  const cases: TestCase[] = [];
  const seen = new Set<string>();
  head.tests.forEach((_, index) => {
    const at = ['tests', index];
    const raw = ((file.value as Fields)['tests'] as YamlValue[])[index] as Fields;
    const id = raw['id'];
    if (typeof id === 'string' && seen.has(id))
      file.report('T006', [...at, 'id'], 'another test of this file has the same id');
    if (typeof id === 'string') seen.add(id);
    for (const row of expandTable(file, at, raw)) {
      const one = readCase(file, at, row.fields, row.suffix, head);
      if (one !== undefined) cases.push(one);
    }
  });
  return cases;
}

function readCase(file: YamlFile, at: Path, raw: Fields, suffix: string, head: SuiteHead): TestCase | undefined {
  const fields = { ...raw };
  const special = new Map<Environment, Expectation>();
  for (const key of Object.keys(fields).filter((name) => name.startsWith('expect@'))) {
    const environment = ENVIRONMENTS.find((known) => key === `expect@${known}`);
    if (environment === undefined) file.reportKey('T004', at, key, `unknown environment in "${key}"`);
    const expected = parse(expectation, file, [...at, key], fields[key]);
    if (environment !== undefined && expected !== undefined) special.set(environment, expected);
    Reflect.deleteProperty(fields, key);
  }
  const parsed = parse(testCase, file, at, fields);
  if (parsed === undefined) return undefined;
  const { expect: common, ...own } = parsed;
  const environments = own.environments ?? head.environments;
  const expectIn = new Map<Environment, Expectation>();
  for (const environment of environments) {
    const expected = own.settings === undefined ? (special.get(environment) ?? common) : NO_CALL;
    if (expected === undefined) file.report('T003', at, `no expectation for ${environment}`);
    else expectIn.set(environment, expected);
  }
  for (const environment of special.keys()) {
    if (!environments.includes(environment))
      file.reportKey('T004', at, `expect@${environment}`, 'the test does not run in this environment');
  }
  if (own.settings !== undefined) checkSettingsShape(file, at, own, common !== undefined || special.size > 0);
  checkShape(file, at, own, [...expectIn.values()]);
  const suite = head.detectors === undefined ? {} : { suiteDetectors: head.detectors };
  return { ...withDefaults(own, head), id: own.id + suffix, file, at, environments, expectIn, ...suite };
}

/** The expectation of a test of settings, which judges no call. */
const NO_CALL: Expectation = { action: 'allow', rules_include: [] };

const OF_CALLS = ['text', 'messages', 'tool', 'contents', 'facts', 'unavailable', 'stage'] as const;

/** Reports the keys that describe a call, if a test of settings contains any. */
function checkSettingsShape(
  file: YamlFile,
  at: Path,
  own: Omit<TestCaseFields, 'expect'>,
  expectsAction: boolean,
): void {
  const other = OF_CALLS.find((key) => own[key] !== undefined) ?? (expectsAction ? 'expect' : undefined);
  if (other !== undefined) file.report('T003', at, `a test with \`settings\` judges no call: leave out \`${other}\``);
  if (Object.keys(own.settings ?? {}).length === 0)
    file.report('T003', [...at, 'settings'], '`settings` names no setting');
}

/** Runs the checks that the schema cannot express. */
function checkShape(
  file: YamlFile,
  at: Path,
  own: Omit<TestCaseFields, 'expect'>,
  expected: readonly Expectation[],
): void {
  if (own.text !== undefined && own.messages !== undefined) {
    file.report('T003', [...at, 'messages'], 'a test has `text` or `messages`, not both');
  }
  const { skip, because, until } = own;
  if (skip === true && (because === undefined || until === undefined)) {
    file.report('T050', [...at, 'skip'], 'a skipped test needs `because:` and `until:`');
  }
  if (skip !== true && (because !== undefined || until !== undefined)) {
    file.report('T003', at, '`because` and `until` belong to `skip: true`');
  }
  for (const one of expected) {
    if (one.rules === undefined && one.rules_include === undefined && one.rules_exclude === undefined) {
      file.report('T003', [...at, 'expect'], 'an expectation needs `rules` (or `rules_include`, `rules_exclude`)');
    }
    if (one.rules !== undefined && (one.rules_include !== undefined || one.rules_exclude !== undefined)) {
      file.report('T003', [...at, 'expect'], '`rules` is exact: leave out `rules_include` and `rules_exclude`');
    }
  }
}

/**
 * Adds the suite's defaults. A test's own keys take precedence; maps (`model`, `app`, `metadata`, …) are merged by key, `facts` at any
 * depth.
 */
function withDefaults<T extends Omit<TestCaseFields, 'expect'>>(own: T, head: SuiteHead): T {
  const merged: Record<string, unknown> = { clock: head.clock, ...head.defaults, ...dropUndefined(own) };
  for (const key of ['model', 'app', 'key', 'session', 'metadata'] as const) {
    if (head.defaults?.[key] !== undefined && own[key] !== undefined)
      merged[key] = { ...head.defaults[key], ...own[key] };
  }
  if (head.defaults?.facts !== undefined && own.facts !== undefined) {
    merged['facts'] = mergeDeep(head.defaults.facts, own.facts);
  }
  return dropUndefined(merged) as T;
}

function dropUndefined(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Merges two values, where the second takes precedence; lists are replaced. */
export function mergeDeep(under: YamlValue, over: YamlValue): YamlValue {
  if (!isMap(under) || !isMap(over)) return over;
  const merged: Fields = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = Object.hasOwn(merged, key) ? merged[key] : undefined;
    merged[key] = below === undefined ? value : mergeDeep(below, value);
  }
  return merged;
}

function isMap(value: YamlValue): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Row {
  readonly fields: Fields;
  readonly suffix: string;
}

function expandTable(file: YamlFile, at: Path, raw: Fields): Row[] {
  const { table: rawTable, ...rest } = raw;
  if (rawTable === undefined) return [{ fields: rest, suffix: '' }];
  const table = parse(testTable, file, [...at, 'table'], rawTable, 'T040');
  if (table === undefined) return [];
  const used = new Set<string>();
  const rows = table.rows.flatMap((cells, index) => {
    const rowAt = [...at, 'table', 'rows', index];
    if (cells.length !== table.columns.length) {
      file.report('T040', rowAt, `expected a cell for each of ${table.columns.length} columns, found ${cells.length}`);
      return [];
    }
    const byName = new Map(table.columns.map((name, column) => [name, cells[column] as YamlValue]));
    const filled = substitute(rest, byName);
    for (const name of filled.unknown)
      file.report('T041', at, `"$${name}" is not a column`, 'write $$ for a dollar sign');
    for (const name of filled.used) used.add(name);
    const expected = [...byName].filter(([name]) => EXPECTATION_COLUMNS.has(name));
    const fields = { ...(filled.value as Fields) };
    if (expected.length > 0) fields['expect'] = mergeDeep(fields['expect'] ?? {}, Object.fromEntries(expected));
    return [{ fields, suffix: `[${index + 1}]` }];
  });
  for (const [index, name] of table.columns.entries()) {
    if (!used.has(name) && !EXPECTATION_COLUMNS.has(name)) {
      file.report('T040', [...at, 'table', 'columns', index], `the column "${name}" is not used`);
    }
  }
  if (new Set(table.columns).size < table.columns.length)
    file.report('T040', [...at, 'table', 'columns'], 'two columns have the same name');
  return rows;
}

function parse<T>(
  schema: z.ZodType<T>,
  file: YamlFile,
  at: Path,
  value: unknown,
  code: 'T003' | 'T040' = 'T003',
): T | undefined {
  const parsed = schema.safeParse(value, { error: plainWords });
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) file.reportKey('T002', [...at, ...issue.path], key, `unknown key "${key}"`);
    } else if (issue.path.includes('environments')) {
      file.report('T004', [...at, ...issue.path], `unknown environment: ${issue.message}`);
    } else {
      file.report(
        code,
        [...at, ...issue.path],
        [...(issue.path.length === 0 ? [] : [issue.path.join('.')]), issue.message].join(': '),
      );
    }
  }
  return undefined;
}
