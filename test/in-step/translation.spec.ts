import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../support/walks.js';

interface SwcOptions {
  readonly jsc: {
    readonly target: string;
    readonly transform: Readonly<Record<'legacyDecorator' | 'decoratorMetadata' | 'useDefineForClassFields', boolean>>;
  };
}

const { swcOptions } = (await import(join(ROOT, 'scripts/swc-options.mjs'))) as { swcOptions: SwcOptions };

describe('The translation of sources without a check of types', () => {
  it('has the language version, the class fields and the decorators of tsconfig.json', () => {
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as {
      config: { compilerOptions: object };
    };
    const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
    const { target = ts.ScriptTarget.ES5 } = options;
    expect(swcOptions.jsc.target).toBe(ts.ScriptTarget[target]?.toLowerCase());
    expect(swcOptions.jsc.transform).toEqual({
      legacyDecorator: options.experimentalDecorators,
      decoratorMetadata: options.emitDecoratorMetadata,
      useDefineForClassFields: options.useDefineForClassFields ?? target >= ts.ScriptTarget.ES2022,
    });
  });

  it('is the same for tests as for npm start, because its options exist only once', () => {
    const files = globSync(['*.mjs', '{scripts,test}/**/*.{mjs,cjs,ts}'], {
      cwd: ROOT,
      exclude: (name) => /node_modules/.test(name),
    });
    const withOptions = files.filter((file) => /\bkeepClassNames: \w/.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(withOptions.map((file) => file.replaceAll('\\', '/'))).toEqual(['scripts/swc-options.mjs']);
  });
});
