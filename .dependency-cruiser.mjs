/** Who may import whom. Each rule says why; test/in-step asserts that every path here still matches a file. */
const FEATURES =
  'access|admin-audit|apps|attention|budgets|bundles|calls|config|contents|dashboard|database|deployments|documents|events|exports|gateway|health|http|identity|inquiries|insight|judgement|limits|me|metrics|overload|plugin-registry|policy-store|resilience|subscription|views|workers';
const NODE_BUILTINS = { dependencyTypes: ['core'] };

/** A feature and the features above it, which it must not import. */
const upward = (feature, above) => ({
  name: `${feature}-imports-downward`,
  comment:
    'Features form layers: access < limits, subscription, plugin-registry < policy-store < deployments, judgement < events < calls < gateway; events < budgets.',
  severity: 'error',
  from: { path: `^src/${feature}/`, pathNot: '\\.spec\\.ts$' },
  to: { path: `^src/(${above})/` },
});

export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A cycle means that two things are one, or that something lies in the wrong place.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'core-is-pure',
      comment: 'The same core runs in server, CLI and tests: no features, no plugins, no Nest, no database.',
      severity: 'error',
      from: { path: '^src/core/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: `^(src/(${FEATURES})/|plugins/|cli/|test/|bench/)|node_modules/(@nestjs|@mikro-orm|fastify|pino|undici)`,
      },
    },
    {
      name: 'core-has-no-node',
      comment: 'No file system, no clock, no process: what core needs is passed in.',
      severity: 'error',
      from: { path: '^src/core/', pathNot: '\\.spec\\.ts$' },
      to: NODE_BUILTINS,
    },
    {
      name: 'plugins-use-the-door',
      comment: 'A plugin is judged alone: it sees core through its door, its own folder and its libraries.',
      severity: 'error',
      from: { path: '^plugins/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(src|plugins|cli|test)/', pathNot: ['^src/core/index\\.ts$', '^plugins/$1/'] },
    },
    {
      name: 'plugins-have-no-node',
      comment: 'Egress, secrets and time-outs stay with the host.',
      severity: 'error',
      from: { path: '^plugins/', pathNot: '\\.spec\\.ts$' },
      to: NODE_BUILTINS,
    },
    {
      name: 'features-use-cores-door',
      comment: 'What core promises is what its index exports.',
      severity: 'error',
      from: { path: `^src/(${FEATURES})/`, pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/core/', pathNot: '^src/core/index\\.ts$' },
    },
    {
      name: 'features-use-each-others-door',
      comment: 'A feature is its index.ts; the rest may move.',
      severity: 'error',
      from: { path: `^src/(${FEATURES})/`, pathNot: '\\.spec\\.ts$' },
      to: { path: `^src/(${FEATURES})/`, pathNot: ['^src/[^/]+/index\\.ts$', '^src/$1/'] },
    },
    {
      name: 'only-the-registry-knows-plugins',
      comment: 'The registry is the one bridge from server to plugins.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/plugin-registry/', '\\.spec\\.ts$'] },
      to: { path: '^plugins/' },
    },
    upward('admin-audit', 'access|policy-store|deployments|judgement|events|gateway'),
    upward('access', 'limits|subscription|policy-store|judgement|events|gateway'),
    upward('subscription', 'policy-store|deployments|judgement|events|gateway'),
    upward('limits', 'policy-store|deployments|judgement|events|gateway'),
    upward('identity', 'policy-store|deployments|judgement|events|gateway'),
    upward('plugin-registry', 'access|policy-store|judgement|events|gateway'),
    upward('policy-store', 'judgement|events|gateway'),
    upward('deployments', 'judgement|events|inquiries|insight|gateway'),
    upward('judgement', 'events|gateway'),
    upward('contents', 'policy-store|judgement|events|gateway'),
    upward('events', 'budgets|exports|gateway|inquiries|insight'),
    upward('exports', 'budgets|gateway|inquiries|insight'),
    upward('budgets', 'gateway'),
    upward('calls', 'gateway'),
    {
      name: 'dashboard-stands-alone',
      comment: 'The pages know the API and nothing of the server: its code must not reach browsers.',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: '^(src|plugins|cli|test|bench)/' },
    },
    {
      name: 'nothing-imports-the-dashboard',
      comment: 'The server serves its built files and knows nothing else of it.',
      severity: 'error',
      from: { path: '^(src|plugins|cli)/' },
      to: { path: '^dashboard/' },
    },
    {
      name: 'nothing-imports-tests',
      comment: 'Test support must not ship.',
      severity: 'error',
      from: { path: '^(src|plugins|cli)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
};
