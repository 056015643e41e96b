/**
 * The allowed imports between folders, as ordered lists. `.dependency-cruiser.mjs` generates the rules of `npm run imports` from
 * them, and `npm run gen` the tables of docs/architecture.md.
 */

/** The folders of `src/core`, lowest first. Each may import those above it in this list, types included. */
export const CORE_FOLDERS = [
  {
    folder: 'model',
    purpose: 'The types that all of core shares: calls, facts, findings, decisions, compiled policies.',
  },
  { folder: 'steps', purpose: 'Long work in steps, between which the host can do other work.' },
  { folder: 'coding', purpose: 'Base64, UTF-8 and other encodings of text.' },
  { folder: 'text', purpose: 'Edits of texts.' },
  { folder: 'money', purpose: 'Amounts and prices, exact.' },
  { folder: 'json', purpose: 'Reads JSON with the position of every value, and replaces texts in place.' },
  { folder: 'call', purpose: 'Reads the bodies of AI calls: texts with their places, tool calls, usage.' },
  { folder: 'detection', purpose: 'The interface of detectors, and their execution over the texts of a call.' },
  { folder: 'facts', purpose: 'The facts about a call that rules can read.' },
  { folder: 'policy', purpose: 'Compiles policy files: reading, overrides, conditions, problems with their places.' },
  { folder: 'redaction', purpose: 'Selection of the characters to replace, and their replacements.' },
  { folder: 'decision', purpose: 'The evaluator: rules over facts, exceptions, the decision.' },
  {
    folder: 'providers',
    purpose: 'Everything specific to a provider, in one folder each: routes, readers, caps, error frames.',
  },
  { folder: 'history', purpose: 'Removal or replacement of earlier turns of a conversation.' },
  {
    folder: 'judge',
    purpose:
      'The one judge: reads a whole call, decides at each stage, repairs the history, redacts, and returns one verdict.',
  },
  { folder: 'budget', purpose: 'The maximum and the actual cost of a call.' },
  {
    folder: 'stored',
    purpose: 'The parts of an event as they are stored: its texts with their masks, and the facts of its decision.',
  },
  { folder: 'stream', purpose: 'Reading and guarding of streamed answers.' },
  { folder: 'bundle', purpose: 'The format of a bundle of policy files.' },
];

/** The folders of `src/authoring`, lowest first. Each may import those above it in this list and all of core, types included. */
export const AUTHORING_FOLDERS = [
  { folder: 'project', purpose: '`weir.config.yaml`.' },
  { folder: 'format', purpose: 'The formatter of policy files.' },
  { folder: 'render', purpose: 'A policy in sentences.' },
  {
    folder: 'policy-leaves',
    purpose: 'Every leaf of the policy format: which of two values is stricter, and why.',
  },
  { folder: 'policy-diff', purpose: 'Comparison of two policies: calls that they decide differently.' },
  { folder: 'policy-test', purpose: 'The runner of policy tests.' },
  { folder: 'policy-changes', purpose: 'Effects of a change of policy files, rule by rule.' },
  { folder: 'import', purpose: 'Conversion of rules of other systems to policies with tests.' },
  { folder: 'backtest', purpose: 'Evaluation of recorded events by another policy.' },
  { folder: 'eval', purpose: 'Quality of detectors and policies over labelled calls.' },
  { folder: 'explain', purpose: 'Explanation of the decision on a recorded call.' },
  { folder: 'lint', purpose: 'Lint rules for policies that compile.' },
  { folder: 'mutation', purpose: 'Mutation tests: small changes of policies that tests should catch.' },
  { folder: 'offline', purpose: 'Evaluation of one call without a service.' },
  { folder: 'schema', purpose: 'JSON Schemas of policy and test files.' },
];

/** npm packages that may be imported in code that has to run anywhere: server, command line, worker thread, tests. */
export const CORE_PACKAGES = ['@eslint-community/regexpp', 'json-rules-engine', 're2js', 'semver', 'yaml', 'zod'];
export const PLUGIN_PACKAGES = ['libphonenumber-js', 're2js', 'tldts', 'zod'];

/**
 * The folders of `src`, lowest first. Each may import those above it in this list, types included.
 * @type {readonly {folder: string, purpose: string, never: string}[]}
 */
export const FEATURES = [
  {
    folder: 'core',
    purpose:
      'The domain, as pure code: policy language, evaluation, redaction, JSON with positions, decoding of calls.',
    never: 'No Nest, no Node, no clock, no randomness, no logging.',
  },
  {
    folder: 'authoring',
    purpose: 'Tools for authors of policies, pure like core: lint, format, tests, comparisons, explanations.',
    never: 'No live call depends on it; core does not import it.',
  },
  {
    folder: 'bundles',
    purpose: 'Cryptography of bundles: digests, signing, verifying. Used by the service and `weir`.',
    never: 'No Nest, no database.',
  },
  {
    folder: 'config',
    purpose: 'Settings from environment and file, validated once, with all errors in one report.',
    never: 'No other folder reads `process.env`.',
  },
  {
    folder: 'resilience',
    purpose: 'Circuit breaking for unavailable services; look-ups of names, shared by all connections of the process.',
    never: 'It does not know any specific service.',
  },
  {
    folder: 'overload',
    purpose: 'Fair order of calls when the service is overloaded.',
    never: 'Callers take turns, however many calls each of them makes.',
  },
  {
    folder: 'object-storage',
    purpose: 'Buckets of S3-compatible services and directories: files outside the database.',
    never: 'It handles keys and bytes, and does not interpret the content.',
  },
  {
    folder: 'workers',
    purpose: 'Threads for work that would block the event loop, within limits of CPU time and memory.',
    never: 'It does not depend on any feature; a failed task is an outcome, never a crash.',
  },
  {
    folder: 'processes',
    purpose:
      'Several processes behind one port: a supervisor, its workers, and the requests that workers send to the supervisor.',
    never: 'The supervisor loads no feature, and no request waits for another worker.',
  },
  {
    folder: 'database',
    purpose: 'MikroORM, migrations, the embedded database in its worker; tenant scoping of statements.',
    never: 'No business rules.',
  },
  {
    folder: 'telemetry',
    purpose: 'Spans and metrics for an OpenTelemetry collector, loaded only if one is configured.',
    never: 'No content in a name or a value; no dependency on a feature.',
  },
  {
    folder: 'http',
    purpose: 'Errors, request ids, input validation, the OpenAPI document.',
    never: 'No content in an error or a log line.',
  },
  { folder: 'metrics', purpose: 'Metrics for Prometheus.', never: 'No content in a label.' },
  {
    folder: 'admin-audit',
    purpose: 'The audit log of changes to an account.',
    never: 'The service does not start if a mutating route has no audit entry.',
  },
  {
    folder: 'plugin-registry',
    purpose: 'Loads plugins; refuses duplicate and invalid ones.',
    never: 'No other folder of the server loads plugins.',
  },
  {
    folder: 'documents',
    purpose: 'Reads the texts of documents (PDF, Office, HTML, archives) in separate threads.',
    never: 'No content is skipped silently: unreadable content is reported as unread.',
  },
  {
    folder: 'contents',
    purpose: 'Classification of the bytes of a body: texts, documents, media, or unread.',
    never: 'Names and media types are never trusted.',
  },
  {
    folder: 'access',
    purpose: 'Keys, tokens, sessions, accounts, the first bootstrap.',
    never: 'Credentials leave this folder only as ids.',
  },
  {
    folder: 'limits',
    purpose: 'Counts requests per address, app and account; shared through Redis.',
    never: 'Rate limiting fails open: requests that cannot be counted are admitted.',
  },
  {
    folder: 'subscription',
    purpose: 'Subscriptions and trials, and the caching of their states.',
    never: 'An outage is never treated as non-payment.',
  },
  {
    folder: 'identity',
    purpose: 'People: sign-up, sign-in, sessions, passwords, addresses, and the related mail.',
    never: 'No answer reveals whether an address is registered.',
  },
  {
    folder: 'policy-store',
    purpose: 'Reads, compiles and watches policies; serves immutable snapshots of the folder and of deployments.',
    never: 'An invalid file never replaces a valid policy.',
  },
  { folder: 'health', purpose: 'Liveness and readiness probes.', never: 'No query that callers can slow down.' },
  {
    folder: 'deployments',
    purpose: 'Accepts deployments, keeps their history, and activates them in this replica.',
    never: 'No policy is activated before its tests pass in this replica.',
  },
  {
    folder: 'judgement',
    purpose:
      'Resources of a server for the judge of core: clock, threads, remote detectors, keys; masking of stored texts.',
    never: 'It does not store or send anything.',
  },
  {
    folder: 'events',
    purpose: 'The log: group commit and queries; the interfaces that limits and budgets implement.',
    never: 'No answer before the commit; for the end of a call, none before the commit or the journal.',
  },
  {
    folder: 'exports',
    purpose: 'Exports as background jobs: files of events, written once or on a schedule.',
    never: 'It does not change the log; only one process at a time runs a job.',
  },
  {
    folder: 'erasure',
    purpose: 'Erases people: removes their data from the log and its copies, and issues a certificate.',
    never: 'Rows of events are emptied, never deleted: the call and its cost stay recorded.',
  },
  {
    folder: 'budgets',
    purpose: 'Prices, the ledger, budgets and spending.',
    never: 'No amount in a float; no grant without the ledger.',
  },
  {
    folder: 'insight',
    purpose: 'Statistics of the log over time.',
    never: 'It never changes data.',
  },
  {
    folder: 'apps',
    purpose: 'What an account can see about one app: limits, use, last event, refusals.',
    never: 'It does not judge calls.',
  },
  {
    folder: 'attention',
    purpose: 'The list of entries that need attention.',
    never: 'It only changes which entries are hidden.',
  },
  { folder: 'views', purpose: 'Saved filters, private or shared.', never: 'It reads no events.' },
  {
    folder: 'inquiries',
    purpose:
      'Answers questions about policies and decisions, in threads: rules, explanations, differences, hypothetical decisions.',
    never: 'It does not change or store anything.',
  },
  {
    folder: 'me',
    purpose: 'Information about the caller and this service, in one answer.',
    never: 'It makes no decisions.',
  },
  {
    folder: 'calls',
    purpose:
      'The steps of a call, the same for every entry point: admission, judgement, reservation, refusal or record, and its end.',
    never: 'It never contacts a provider.',
  },
  {
    folder: 'ingest',
    purpose: 'The entry point for events that clients submit: parsing and answers.',
    never: 'It does not judge or store calls itself.',
  },
  {
    folder: 'call-checks',
    purpose: 'Calls that clients make themselves: the question before a call, and the report after it.',
    never: 'It never contacts a provider; the first reported end of a call counts.',
  },
  {
    folder: 'gateway',
    purpose: 'The proxy: upstream, headers, held and guarded streams.',
    never: 'No other code contacts providers.',
  },
  {
    folder: 'dashboard',
    purpose: "Serves the dashboard's built files under a strict content security policy, and counts violations of it.",
    never: 'It does not know accounts or routes of the API.',
  },
];

/** Folders next to `src`, for the table of docs/architecture.md. */
export const BESIDE = [
  {
    folder: 'plugins/<id>',
    purpose: 'One detector, structure plugin or ledger plugin each: code, spec, page.',
    never: 'It imports no other plugin, does no I/O and keeps no state between texts.',
  },
  {
    folder: 'dashboard',
    purpose: "The web pages (React), built into `dist/dashboard`; its folders have the names of the server's folders.",
    never: 'No import from the server: it uses the API like any client.',
  },
  { folder: 'policies', purpose: 'The shipped policies and their tests.', never: '' },
  {
    folder: 'cli',
    purpose: 'The `weir` command.',
    never:
      'No Nest except in `weir server …`, where it is loaded on demand. Commands that need no server are bundled by the build ([0021](adr/0021-offline-commands-in-few-files.md)).',
  },
  {
    folder: 'bench',
    purpose: 'Benchmarks of speed and memory, each compared with a baseline measured in the same run.',
    never: 'No test depends on measured times.',
  },
  {
    folder: 'test',
    purpose: 'Tests that concern more than one source file: integration, end to end, conformance, leaks, isolation.',
    never: 'No shipped code imports it.',
  },
  {
    folder: 'scripts',
    purpose:
      'The code of npm scripts: build ([the service in few files](adr/0092-the-service-in-few-files.md)), generate, check, release.',
    never: 'No product code.',
  },
];
