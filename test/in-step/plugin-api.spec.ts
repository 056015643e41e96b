import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const API = 'src/core/plugin-api.ts';
const MAX_NAMES = 63;

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, ts.sys.readFile(file)!, ts.ScriptTarget.Latest, true);
}

/** The names that the plugin API exports, each with the file that declares it. */
function exported(): { name: string; file: string }[] {
  return parse(API).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) return [];
    const { exportClause } = statement;
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [{ name: '*', file: API }];
    const path = (statement.moduleSpecifier as ts.StringLiteral).text;
    const file = join(dirname(API), path.replace(/\.js$/, '.ts'));
    return exportClause.elements.map(({ name }) => ({ name: name.text, file }));
  });
}

function hasDocs(name: string, file: string): boolean {
  const declared = parse(file).statements.find((statement) =>
    ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.some((one) => one.name.getText() === name)
      : 'name' in statement && (statement.name as ts.Identifier | undefined)?.text === name,
  );
  return declared !== undefined && ts.getJSDocCommentsAndTags(declared).length > 0;
}

describe('The API of plugins', () => {
  it(`has at most ${MAX_NAMES} names, and exports each by name`, () => {
    expect(existsSync(API)).toBe(true);
    const names = exported().map(({ name }) => name);
    expect(names).not.toContain('*');
    expect(names.length).toBeGreaterThan(0);
    expect(names.length).toBeLessThanOrEqual(MAX_NAMES);
  });

  it.each(exported())('documents $name', ({ name, file }) => {
    expect(hasDocs(name, file)).toBe(true);
  });
});
