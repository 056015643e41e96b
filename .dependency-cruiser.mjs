/** The allowed imports. Each rule has a comment with its reason; test/in-step asserts that every path here still matches a file. */
import { AUTHORING_FOLDERS, CORE_FOLDERS, CORE_PACKAGES, FEATURES, PLUGIN_PACKAGES } from './scripts/layers.mjs';

const folders = FEATURES.map(({ folder }) => folder);
const features = folders.filter((folder) => folder !== 'core' && folder !== 'authoring').join('|');
const NODE_BUILTINS = { dependencyTypes: ['core'] };

/** One rule per folder of an ordered list: it must not import those below it. */
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
        'The package for Node.js runs wherever fetch exists, so it has no dependency and imports no module of Node.js or of the service.',
      severity: 'error',
      from: { path: '^sdk/node/src/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^sdk/node/src/' },
    },
    {
      name: 'no-circular',
      comment: 'A cycle means that two modules should be one, or that code is in the wrong place.',
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
      comment: 'The authoring tools run in the command line, worker threads and tests, so they import only core.',
      severity: 'error',
      from: { path: '^src/authoring/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(src/(?!core/|authoring/)|plugins/|cli/|test/|bench/)' },
    },
    {
      name: 'only-the-judge-evaluates',
      comment:
        'Every entry point evaluates rules through src/core/judge: there is one evaluator and one merged verdict.',
      severity: 'error',
      from: {
        path: '^(src|cli|bench|plugins)/',
        pathNot: ['^src/core/(decision|judge)/', '/testdata/', '\\.spec\\.ts$'],
      },
      to: { path: '^src/core/decision/(evaluate|run-rules|rule-tree)\\.ts$' },
    },
    {
      name: 'core-has-few-packages',
      comment: 'Every entry point runs the packages of core, so scripts/layers.mjs lists the allowed ones.',
      severity: 'error',
      from: { path: '^src/(core|authoring)/', pathNot: '\\.spec\\.ts$' },
      to: packagesBut(CORE_PACKAGES),
    },
    {
      name: 'plugins-have-few-packages',
      comment: 'Packages of detectors read every text, so scripts/layers.mjs lists the allowed ones.',
      severity: 'error',
      from: { path: '^plugins/', pathNot: '\\.spec\\.ts$' },
      to: packagesBut(PLUGIN_PACKAGES),
    },
    {
      name: 'core-has-no-node',
      comment: 'No file system, no clock, no process: core gets its resources as parameters.',
      severity: 'error',
      from: { path: '^src/(core|authoring)/', pathNot: '\\.spec\\.ts$' },
      to: NODE_BUILTINS,
    },
    {
      name: 'plugins-use-the-plugin-api',
      comment: 'A plugin must be reviewable on its own: it imports the plugin API, its own folder and its libraries.',
      severity: 'error',
      from: { path: '^plugins/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(src|plugins|cli|test)/', pathNot: ['^src/core/plugin-api\\.ts$', '^plugins/$1/'] },
    },
    {
      name: 'plugins-have-no-node',
      comment: 'Network access, secrets and timeouts are handled by the host.',
      severity: 'error',
      from: { path: '^plugins/', pathNot: '\\.spec\\.ts$' },
      to: NODE_BUILTINS,
    },
    {
      name: 'features-use-cores-index',
      comment: 'The public interface of core is the exports of its index.',
      severity: 'error',
      from: { path: `^src/(${features})/`, pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/core/', pathNot: '^src/core/index\\.ts$' },
    },
    {
      name: 'authorings-index',
      comment: 'The server, the command line and the benchmarks import only the index of authoring.',
      severity: 'error',
      from: { path: '^(src/(?!authoring/)|cli/|bench/)', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/authoring/', pathNot: '^src/authoring/index\\.ts$' },
    },
    {
      name: 'features-use-each-others-index',
      comment: 'The public interface of a feature is its index.ts; other files may move.',
      severity: 'error',
      from: { path: `^src/(${features})/`, pathNot: '\\.spec\\.ts$' },
      to: { path: `^src/(${features})/`, pathNot: ['^src/[^/]+/index\\.ts$', '^src/$1/'] },
    },
    {
      name: 'only-the-registry-knows-plugins',
      comment: 'Only the registry connects the server to plugins.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/plugin-registry/', '/testdata/', '\\.spec\\.ts$'] },
      to: { path: '^plugins/' },
    },
    ...downward('src', folders, 'Features form layers: scripts/layers.mjs has them in their order.'),
    ...downward(
      'src/core',
      CORE_FOLDERS.map(({ folder }) => folder),
      'The folders of core also form layers: scripts/layers.mjs has their order.',
    ),
    ...downward(
      'src/authoring',
      AUTHORING_FOLDERS.map(({ folder }) => folder),
      'The folders of authoring also form layers: scripts/layers.mjs has their order.',
    ),
    {
      name: 'nothing-imports-the-composition',
      comment: 'app.ts assembles the features; code that they share is in a feature.',
      severity: 'error',
      from: { path: '^(src/[^/]+/|plugins/)', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/[^/]+\\.ts$', pathNot: '^src/version\\.ts$' },
    },
    {
      name: 'dashboard-stands-alone',
      comment: 'The pages use only the API: code of the server must not reach browsers.',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: '^(src|plugins|cli|test|bench)/' },
    },
    {
      name: 'dashboard-shares-the-types-of-the-api',
      comment: 'The types are generated once, in the package for Node.js; pages import nothing else from it.',
      severity: 'error',
      from: { path: '^dashboard/' },
      to: { path: '^sdk/', pathNot: '^sdk/node/src/api/schema\\.ts$' },
    },
    {
      name: 'nothing-imports-the-dashboard',
      comment: 'The server only serves the built files of the dashboard.',
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
