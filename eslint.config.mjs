import tseslint from 'typescript-eslint';

/** A type can guarantee that a name or a property has a value; `!` only asserts it. */
const NO_ASSERTED_NAME = {
  selector:
    ':matches(TSNonNullExpression > Identifier.expression, TSNonNullExpression > MemberExpression[computed=false].expression)',
  message: 'Use a type that guarantees the value instead of `!`.',
};

/** prettier checks the style, and tsc the types; these rules check the rest. */
export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      'dist-*/**',
      'node_modules/**',
      'coverage/**',
      '.weir/**',
      'cli/commands/described.ts',
      'sdk/node/src/api/schema.ts',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.recommended],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      'max-lines': ['error', { max: 420, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    // The code of the server, the CLI and the detectors has the strictest type-checked rules. Each disabled rule has a comment with its
    // reason.
    files: ['src/**/*.ts', 'cli/**/*.ts', 'plugins/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/testdata/**'],
    extends: [...tseslint.configs.strictTypeChecked],
    rules: {
      // Overflows the stack on recursive types, such as those of zod.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Types cannot prove that an index is within the bounds of a list; for names and properties they can: see `no-restricted-syntax`.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Methods of interfaces here do not use `this`.
      '@typescript-eslint/unbound-method': 'off',
      // `return this.refuse(…)` is used to end a function early.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Texts are deliberately iterated by code point.
      '@typescript-eslint/no-misused-spread': 'off',
      // Some types of libraries and database results are inaccurate: JSON.stringify, bigint columns.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-unnecessary-type-conversion': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-restricted-syntax': ['error', NO_ASSERTED_NAME],
    },
  },
  {
    // Nest reads constructor parameter types at run time, so they must stay value imports.
    files: ['src/**/*.{service,controller,module,guard,interceptor}.ts', 'src/**/*-*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    // Core, authoring and plugins run in the server, the CLI and the tests alike: no clock, no randomness, no process.
    files: ['src/core/**/*.ts', 'src/authoring/**/*.ts', 'plugins/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        'process',
        'Buffer',
        'setTimeout',
        'setInterval',
        'performance',
        'fetch',
        'crypto',
      ],
      'no-restricted-syntax': [
        'error',
        NO_ASSERTED_NAME,
        {
          selector: "MemberExpression[object.name='Date'][property.name='now']",
          message: 'Core has no clock: take nowMs as a parameter.',
        },
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'Core has no clock: take nowMs as a parameter.',
        },
        {
          selector: "MemberExpression[object.name='Math'][property.name='random']",
          message: 'Core has no randomness.',
        },
      ],
    },
  },
  {
    // Names, texts and metadata that the dashboard shows come from strangers, so they may only be rendered as React's text.
    files: ['dashboard/src/**/*.{ts,tsx}'],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-eval': 'error',
      'no-implied-eval': 'off',
      'no-script-url': 'error',
      'no-restricted-globals': ['error', 'alert', 'confirm', 'prompt'],
      'no-restricted-syntax': [
        'error',
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Render texts only.' },
        {
          selector: 'MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]',
          message: 'Render texts only.',
        },
        {
          selector: "JSXAttribute[name.name='target'][value.value='_blank']",
          message: 'Use SafeLink, which gives the other window no reference to this one.',
        },
        {
          selector: 'JSXAttribute[name.name=/^(visibleFrom|hiddenFrom)$/]',
          message: 'Use a CSS module: this writes a <style> element, which the content security policy refuses.',
        },
      ],
    },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    rules: { 'max-lines-per-function': 'off', 'no-console': 'off' },
  },
  { files: ['cli/**/*.ts'], rules: { 'no-console': 'off' } },
  {
    // No code here is critical for performance: an element of a list is checked, or passed to `required` with its name.
    files: ['cli/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'error' },
  },
);
