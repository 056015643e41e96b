/**
 * How TypeScript is translated where types are not checked: in tests (jest.config.mjs) and before `npm start` (transpile.mjs). The
 * options mean the same as those in tsconfig.json, by which `npm run build` translates and checks.
 */
export const swcOptions = {
  jsc: {
    target: 'es2024',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
    keepClassNames: true,
  },
  module: { type: 'es6' },
  swcrc: false,
};
