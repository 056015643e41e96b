/** Who may import whom. Each rule says why; test/in-step asserts that every path here still matches a file. */
import { AUTHORING_FOLDERS, CORE_FOLDERS, CORE_PACKAGES, FEATURES, PLUGIN_PACKAGES } from './scripts/layers.mjs';

const folders = FEATURES.map(({ folder }) => folder);
const features = folders.filter((folder) => folder !== 'core' && folder !== 'authoring').join('|');
const NODE_BUILTINS = { dependencyTypes: ['core'] };

/** One rule per folder of an ordered list: it must not import those that stand below it. */
const downward = (root, ordered, comment) =>
  ordered.slice(0, -1).map((folder, position) => ({
    name: `${root.replaceAll('/', '-')}-${folder}-imports-downward`,
    comment,
    severity: 'error',
    from: { path: `^${root}/${folder}/`, pathNot: '\\.spec\\.ts$' },
    to: { path: `^${root}/(${ordered.slice(position + 1).join('|')})/` },
  }));

/** npm packages outside a list of allowed ones. */
const packagesBut = (allowed) => ({
  dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-bundled', 'npm-no-pkg', 'npm-unknown'],
  pathNot: `node_modules/(${allowed.join('|')})/`,
});

export default {
  forbidden: [
    {
      name: 'sdk-stands-alone',
      comment:
        'The package for Node.js runs wherever fetch is: no dependency, no module of Node.js, nothing of the service.',
      severity: 'error',
      from: { path: '^sdk/node/src/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^sdk/node/src/' },
    },
    {
      name: 'no-circular',
      comment: 'A cycle means that two things are one, or that something lies in the wrong place.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'core-is-pure',
      comment: 'The same core runs in server, CLI, worker threads and tests: no features, no plugins.',
      severity: 'error',
      from: { path: '^src/core/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(src/(?!core/)|plugins/|cli/|test/|bench/)' },
    },
    {
      name: 'authoring-is-pure',
      comment:
        'What people write policies with runs in command line, worker threads and tests: core, and nothing else.',
      severity: 'error',
      from: { path: '^src/authoring/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(src/(?!core/|authoring/)|plugins/|cli/|test/|bench/)' },
    },
    {
      name: 'only-the-judge-evaluates',
      comment:
        'What a rule says is asked of src/core/judge, whatever the door: there is one evaluator and one merged verdict.',
      severity: 'error',
      from: {
        path: '^(src|cli|bench|plugins)/',
        pathNot: ['^src/core/(decision|judge)/', '/testdata/', '\\.spec\\.ts$'],
      },
      to: { path: '^src/core/decision/(evaluate|run-rules|rule-tree)\\.ts$' },
    },
    {
      name: 'core-has-few-packages',
      comment: 'Each package of core is code that every door trusts: scripts/layers.mjs lists them.',
      severity: 'error',
      from: { path: '^src/(core|authoring)/', pathNot: '\\.spec\\.ts$' },
      to: packagesBut(CORE_PACKAGES),
    },
    {
      name: 'plugins-have-few-packages',
      comment: 'Each package of a detector is code that reads every text: scripts/layers.mjs lists them.',
      severity: 'error',
      from: { path: '^plugins/', pathNot: '\\.spec\\.ts$' },
      to: packagesBut(PLUGIN_PACKAGES),
    },
    {
      name: 'core-has-no-node',
      comment: 'No file system, no clock, no process: what core needs is passed in.',
      severity: 'error',
      from: { path: '^src/(core|authoring)/', pathNot: '\\.spec\\.ts$' },
      to: NODE_BUILTINS,
    },
    {
      name: 'plugins-use-the-door',
      comment: 'A plugin is judged alone: it sees the plugin API, its own folder and its libraries.',
      severity: 'error',
      from: { path: '^plugins/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(src|plugins|cli|test)/', pathNot: ['^src/core/plugin-api\\.ts$', '^plugins/$1/'] },
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
      from: { path: `^src/(${features})/`, pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/core/', pathNot: '^src/core/index\\.ts$' },
    },
    {
      name: 'authorings-door',
      comment: 'The server, the command line and the benchmarks see of authoring what its index exports.',
      severity: 'error',
      from: { path: '^(src/(?!authoring/)|cli/|bench/)', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/authoring/', pathNot: '^src/authoring/index\\.ts$' },
    },
    {
      name: 'features-use-each-others-door',
      comment: 'A feature is its index.ts; the rest may move.',
      severity: 'error',
      from: { path: `^src/(${features})/`, pathNot: '\\.spec\\.ts$' },
      to: { path: `^src/(${features})/`, pathNot: ['^src/[^/]+/index\\.ts$', '^src/$1/'] },
    },
    {
      name: 'only-the-registry-knows-plugins',
      comment: 'The registry is the one bridge from server to plugins.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/plugin-registry/', '/testdata/', '\\.spec\\.ts$'] },
      to: { path: '^plugins/' },
    },
    ...downward('src', folders, 'Features form layers: scripts/layers.mjs has them in their order.'),
    ...downward(
      'src/core',
      CORE_FOLDERS.map(({ folder }) => folder),
      'The folders of core form layers, too: scripts/layers.mjs has their order.',
    ),
    ...downward(
      'src/authoring',
      AUTHORING_FOLDERS.map(({ folder }) => folder),
      'The folders of authoring form layers, too: scripts/layers.mjs has their order.',
    ),
    {
      name: 'nothing-imports-the-composition',
      comment: 'app.ts puts the features together; what they share lies in a feature.',
      severity: 'error',
      from: { path: '^(src/[^/]+/|plugins/)', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/[^/]+\\.ts$', pathNot: '^src/version\\.ts$' },
    },
    {
      name: 'dashboard-stands-alone',
      comment: 'The pages know the API and nothing of the server: its code must not reach browsers.',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: '^(src|plugins|cli|test|bench)/' },
    },
    {
      name: 'dashboard-shares-the-types-of-the-api',
      comment: 'They are generated once, into the package for Node.js; nothing else of the package is in a page.',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: '^sdk/', pathNot: '^sdk/node/src/api/schema\\.ts$' },
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
