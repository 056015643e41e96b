import { PLUGINS } from '../../plugins/index.js';
import { LINT_CODES, lintPolicies, readProjectConfig } from '../../src/authoring/index.js';
import { compilePolicy, type CompiledPolicy, type Environment } from '../../src/core/index.js';
import { LINT_PAGES } from './index.js';
import { exampleFiles, type Example } from './page.js';

const NOW_MS = Date.parse('2026-11-21T09:00:00Z');
/** Codes that are ignored in examples, because the examples are short, have rules for one stage, and mostly lack tests. */
const BESIDE_THE_POINT = new Set(['G001', 'G200', 'G201', 'G202', 'G210', 'G211']);

function filesIn(files: Readonly<Record<string, string>>, folder: string): { path: string; text: string }[] {
  return Object.entries(files)
    .filter(([path]) => path.startsWith(folder))
    .map(([path, text]) => ({ path: path.slice(folder === 'before/' ? folder.length : 0), text }));
}

async function codesOf(example: Example, about: string): Promise<string[]> {
  const files = exampleFiles(example);
  const own = Object.fromEntries(Object.entries(files).filter(([path]) => !/^(?:before|tests)\/|config/.test(path)));
  const policyFiles = Object.entries(own).map(([path, text]) => ({ path, text }));
  const entry = Object.keys(own).filter((path) => path.startsWith('production/'));
  const tests = filesIn(files, 'tests/');
  const earlier = filesIn(files, 'before/');
  const before = new Map<Environment, CompiledPolicy>();
  if (earlier.length > 0) {
    before.set('production', compilePolicy({ environment: 'production', files: earlier, plugins: PLUGINS }).policy!);
  }
  const { config } = readProjectConfig('weir.config.yaml', files['weir.config.yaml']);
  const { findings } = await lintPolicies({
    environments: [{ environment: 'production', files: policyFiles, entry }],
    ...(tests.length > 0 && { tests }),
    plugins: PLUGINS,
    nowMs: NOW_MS,
    maxExceptionMs: config.maxExceptionMs,
    before,
  });
  const codes = findings.filter(({ ignored }) => ignored === undefined).map(({ code }) => code);
  return [...new Set(codes)].filter((code) => code === about || !BESIDE_THE_POINT.has(code)).sort();
}

describe('The pages of the lint rules', () => {
  it('exist for every rule, and for nothing else', () => {
    expect(Object.keys(LINT_PAGES).sort()).toEqual(Object.keys(LINT_CODES).sort());
  });

  it.each(Object.keys(LINT_PAGES))('%s: the example to avoid triggers exactly this rule', async (code) => {
    expect(await codesOf(LINT_PAGES[code]!.avoid, code)).toEqual([code]);
  });

  it.each(Object.keys(LINT_PAGES))('%s: the example to prefer triggers no rule', async (code) => {
    expect(await codesOf(LINT_PAGES[code]!.prefer, code)).toEqual([]);
  });
});
