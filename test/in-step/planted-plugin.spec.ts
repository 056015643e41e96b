import { resolve } from 'node:path';
import ts from 'typescript';
import { pluginFiles } from '../../cli/templates/plugin-files.js';

describe('The code that weir plugin new generates', () => {
  it('compiles', () => {
    const root = process.cwd();
    const files = new Map(
      pluginFiles('order-number').map(({ name, text }) => [resolve(root, 'plugins/order-number', name), text]),
    );
    const code = resolve(root, 'plugins/order-number/order-number.ts');
    const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile) as { config: { compilerOptions: object } };
    const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, noEmit: true }, root);
    const host = ts.createCompilerHost(options);
    const { readFile: read, fileExists } = host;
    host.readFile = (name) => files.get(name) ?? read(name);
    host.fileExists = (name) => files.has(name) || fileExists(name);
    const program = ts.createProgram([code], options, host);
    const problems = program.getSemanticDiagnostics(program.getSourceFile(code));
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
  });
});
