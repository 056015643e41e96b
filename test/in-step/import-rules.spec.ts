import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Forbidden imports, each with the rule that refuses it. */
const PLANTED = [
  ['src/events/planted.ts', 'src/authoring/lint/lint.ts', 'authorings-index'],
  ['src/app.ts', 'src/authoring/offline/offline-judge.ts', 'authorings-index'],
  ['cli/planted.ts', 'src/authoring/mutation/mutants.ts', 'authorings-index'],
  ['src/core/judge/planted.ts', 'src/authoring/index.ts', 'core-is-pure'],
  ['src/core/model/planted.ts', 'src/authoring/policy-test/compare.ts', 'core-is-pure'],
  ['src/authoring/backtest/planted.ts', 'src/core/decision/evaluate.ts', 'only-the-judge-evaluates'],
  ['src/core/stream/planted.ts', 'src/core/decision/run-rules.ts', 'only-the-judge-evaluates'],
  ['src/authoring/lint/planted.ts', 'src/policy-store/index.ts', 'authoring-is-pure'],
  ['src/authoring/lint/planted-package.ts', 'fastify', 'core-has-few-packages'],
  ['src/authoring/lint/planted-builtin.ts', 'node:fs', 'core-has-no-node'],
  ['src/authoring/project/planted.ts', 'src/authoring/lint/lint.ts', 'src-authoring-project-imports-downward'],
  ['src/policy-store/planted.ts', 'src/budgets/index.ts', 'src-policy-store-imports-downward'],
  ['src/gateway/planted.ts', 'src/core/judge/judge-call.ts', 'features-use-cores-index'],
  ['plugins/pii/planted.ts', 'src/core/detection/run-scan.ts', 'plugins-use-the-plugin-api'],
  ['plugins/pii/planted-index.ts', 'src/core/index.ts', 'plugins-use-the-plugin-api'],
  ['plugins/pii/planted-package.ts', 'fastify', 'plugins-have-few-packages'],
  ['plugins/pii/planted-builtin.ts', 'node:fs', 'plugins-have-no-node'],
  ['dashboard/src/parts/planted.ts', 'sdk/node/src/guard.ts', 'dashboard-shares-the-types-of-the-api'],
] as const;

/** Two files, each of which imports a type of the other. */
const CIRCLE = ['src/events/planted-circle.ts', 'src/events/planted-other.ts'] as const;

/** Examples of common imports, which no rule may refuse. */
const ALLOWED = [
  ['src/inquiries/allowed.ts', 'src/authoring/index.ts'],
  ['cli/allowed.ts', 'src/authoring/index.ts'],
  ['src/authoring/lint/allowed.ts', 'src/core/policy/operators.ts'],
  ['plugins/pii/allowed.ts', 'src/core/plugin-api.ts'],
  ['dashboard/src/api/allowed.ts', 'sdk/node/src/api/schema.ts'],
] as const;

interface Report {
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
  };
}

/** Writes a folder tree like the repository's that contains only these imports. */
function plant(root: string): void {
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  write('tsconfig.json', '{ "compilerOptions": { "module": "nodenext", "moduleResolution": "nodenext" } }');
  write('package.json', '{ "type": "module", "dependencies": { "fastify": "*" } }');
  symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
  for (const [index, file] of CIRCLE.entries()) {
    const other = CIRCLE[1 - index]!.replace('src/events/', './').replace('.ts', '.js');
    write(file, `import type { Planted as Other } from '${other}';\nexport interface Planted { other: Other }\n`);
  }
  for (const [from, to] of [...PLANTED, ...ALLOWED]) {
    if (!to.endsWith('.ts')) write(from, `import type {} from '${to}';\nexport {};\n`);
    else {
      const path = relative(dirname(from), to).replace(/\.ts$/, '.js');
      write(to, 'export type Planted = true;\n');
      write(
        from,
        `import type { Planted } from '${path.startsWith('.') ? path : `./${path}`}';\nexport type P = Planted;\n`,
      );
    }
  }
}

describe('npm run imports', () => {
  const root = mkdtempSync(join(tmpdir(), 'weir-imports-'));
  let found: Report['summary']['violations'];

  beforeAll(() => {
    plant(root);
    const repository = process.cwd();
    const cruiser = join(repository, 'test/node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const options = ['--config', join(repository, '.dependency-cruiser.mjs'), '--output-type', 'json'];
    const folders = ['src', 'plugins', 'cli', 'dashboard'];
    const report = execFileSync(process.execPath, [cruiser, ...folders, ...options], { cwd: root, encoding: 'utf8' });
    found = (JSON.parse(report) as Report).summary.violations;
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it.each(PLANTED)('refuses %s importing %s, even for a type', (from, _to, rule) => {
    expect(found.filter((one) => one.from === from).map((one) => one.rule.name)).toContain(rule);
  });

  it('refuses circular imports, even of types', () => {
    const circles = found.filter(({ rule }) => rule.name === 'no-circular').flatMap(({ from, to }) => [from, to]);
    expect(circles.sort()).toEqual([...CIRCLE].sort());
  });

  it.each(ALLOWED)('allows %s to import %s', (from) => {
    expect(found.filter((one) => one.from === from)).toEqual([]);
  });
});
