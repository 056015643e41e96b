/**
 * Who may import whom, as one ordered list. `.dependency-cruiser.mjs` makes the rules of `npm run imports` from it, and
 * `npm run gen` the tables of docs/architecture.md.
 */

/** The folders of `src/core`, lowest first. Each may import those above it in this list, types included. */
export const CORE_FOLDERS = [
  {
    folder: 'model',
    purpose: 'The types that all of core shares: calls, facts, findings, decisions, compiled policies.',
  },
  { folder: 'steps', purpose: 'Long work in steps, so that a host can let others go first.' },
  { folder: 'coding', purpose: 'Base64, UTF-8 and other encodings of text.' },
  { folder: 'text', purpose: 'Edits of texts.' },
  { folder: 'money', purpose: 'Amounts and prices, exact.' },
  { folder: 'json', purpose: 'JSON with the position of every value; texts replaced in place.' },
  { folder: 'call', purpose: 'Bodies of AI calls read: texts with their places, tool calls, usage.' },
  { folder: 'detection', purpose: 'What a detector is, and how detectors run over the texts of a call.' },
  { folder: 'facts', purpose: 'What rules can read of a call.' },
  { folder: 'policy', purpose: 'Policy files compiled: reading, overrides, conditions, problems with their places.' },
  { folder: 'redaction', purpose: 'Which characters are replaced, and by what.' },
  { folder: 'decision', purpose: 'The evaluator: rules over facts, exceptions, the decision.' },
  {
    folder: 'providers',
    purpose: 'What is known of each provider, in one folder each: routes, readers, caps, error frames.',
  },
  { folder: 'history', purpose: 'Earlier turns of a conversation that are taken out or replaced.' },
  {
    folder: 'judge',
    purpose: 'The one judge: a whole call read, decided at each stage, repaired, redacted, one verdict.',
  },
  { folder: 'budget', purpose: 'What a call can cost and did cost.' },
  { folder: 'stored', purpose: 'What is kept of an event: its texts with their masks, and the facts of its decision.' },
  { folder: 'stream', purpose: 'Streamed answers read and guarded on their way.' },
  { folder: 'bundle', purpose: 'The form of a bundle of policy files.' },
];

/** The folders of `src/authoring`, lowest first. Each may import those above it in this list and all of core, types included. */
export const AUTHORING_FOLDERS = [
  { folder: 'project', purpose: '`weir.config.yaml`.' },
  { folder: 'format', purpose: 'Policy files written in their normal form.' },
  { folder: 'render', purpose: 'A policy in sentences.' },
  {
    folder: 'policy-leaves',
    purpose: 'Every leaf of the policy format: which of its values is the stricter one, and why.',
  },
  { folder: 'policy-diff', purpose: 'Two policies compared: calls that they decide otherwise.' },
  { folder: 'policy-test', purpose: 'The tests of policies.' },
  { folder: 'policy-changes', purpose: 'What a change of policy files changes, rule by rule.' },
  { folder: 'import', purpose: 'Rules of other systems as policies with tests.' },
  { folder: 'backtest', purpose: 'Recorded events judged by another policy.' },
  { folder: 'eval', purpose: 'Quality of detectors and policies over labelled calls.' },
  { folder: 'explain', purpose: 'Why a recorded call was decided so.' },
  { folder: 'lint', purpose: 'Complaints about policies that compile.' },
  { folder: 'mutation', purpose: 'Small mistakes planted in policies, to see whether tests notice.' },
  { folder: 'offline', purpose: 'One call judged without a service.' },
  { folder: 'schema', purpose: 'JSON Schemas of policy and test files.' },
];

/** npm packages that may be imported in code that is to run anywhere: server, command line, worker thread, tests. */
export const CORE_PACKAGES = ['@eslint-community/regexpp', 'json-rules-engine', 're2js', 'semver', 'yaml', 'zod'];
export const PLUGIN_PACKAGES = ['libphonenumber-js', 're2js', 'tldts', 'zod'];

/**
 * The folders of `src`, lowest first. Each may import those above it in this list, types included.
 * @type {readonly {folder: string, purpose: string, never: string}[]}
 */
export const FEATURES = [
  {
    folder: 'core',
    purpose: 'The domain, pure: policy language, evaluation, redaction, JSON with positions, decoding of calls.',
    never: 'No Nest, no Node, no clock, no randomness, no logging.',
  },
  {
    folder: 'authoring',
    purpose: 'What people need who write policies, pure as core: lint, format, tests, comparisons, explanations.',
    never: 'Nothing that a live call waits for; core knows nothing of it.',
  },
  {
    folder: 'bundles',
    purpose: 'Where bundles meet cryptography: digests, signing, verifying. Used by the service and `weir`.',
    never: 'No Nest, no database.',
  },
  {
    folder: 'config',
    purpose: 'Settings from environment and file, checked once, all complaints at once.',
    never: 'Nobody else reads `process.env`.',
  },
  { folder: 'resilience', purpose: 'How features live with services that are down.', never: 'It knows no service.' },
  {
    folder: 'overload',
    purpose: 'Who goes on next when there is more work than the service can do.',
    never: "Nobody's turn depends on how much others ask for.",
  },
  {
    folder: 'object-storage',
    purpose: 'Buckets of S3-compatible services and directories: files that are not kept in the database.',
    never: 'It knows keys and bytes, and nothing of what is in them.',
  },
  {
    folder: 'workers',
    purpose: 'Threads for work that would hold the event loop, within limits of processor time and memory.',
    never: 'It knows no feature; a task that fails is an outcome, never a crash.',
  },
  {
    folder: 'processes',
    purpose: 'Several processes behind one port: a supervisor, and what its workers ask it for.',
    never: 'The supervisor loads no feature, and no request waits for another worker.',
  },
  {
    folder: 'database',
    purpose: 'MikroORM, migrations, the embedded database in its worker; tenant scoping of statements.',
    never: 'No business rules.',
  },
  {
    folder: 'telemetry',
    purpose: 'Spans and figures for an OpenTelemetry collector, loaded where one is set.',
    never: 'No content in a name or a value; no feature is known.',
  },
  {
    folder: 'http',
    purpose: 'Errors, request ids, checks of input, the OpenAPI document.',
    never: 'No content in an error or a log line.',
  },
  { folder: 'metrics', purpose: 'Figures for Prometheus.', never: 'No content in a label.' },
  {
    folder: 'admin-audit',
    purpose: 'Who changed what of an account.',
    never: 'No mutating route starts without its entry.',
  },
  {
    folder: 'plugin-registry',
    purpose: 'Loads plugins; refuses duplicates and wrong shapes.',
    never: 'The only bridge from server to plugins.',
  },
  {
    folder: 'documents',
    purpose: 'Reads the texts of documents (PDF, Office, HTML, archives) in threads of their own.',
    never: 'Nothing is passed over in silence: what cannot be read is said to be unread.',
  },
  {
    folder: 'contents',
    purpose: 'What the bytes of a body are: texts, documents, media, or unread.',
    never: 'It believes no name and no media type.',
  },
  {
    folder: 'access',
    purpose: 'Keys, tokens, sessions, accounts, the first bootstrap.',
    never: 'No credential leaves it in any form but its id.',
  },
  {
    folder: 'limits',
    purpose: 'Counts requests per address, app and account; shared through Redis.',
    never: 'Rate limiting fails open: requests that cannot be counted are admitted.',
  },
  {
    folder: 'subscription',
    purpose: 'Subscriptions, trials and what is known of them.',
    never: 'An outage is never treated as non-payment.',
  },
  {
    folder: 'identity',
    purpose: 'People: sign-up, sign-in, sessions, passwords, addresses, the mail for it.',
    never: 'No answer tells whether an address is known.',
  },
  {
    folder: 'policy-store',
    purpose: "Reads, compiles, watches; serves immutable snapshots, the folder's and those that accounts deployed.",
    never: 'A broken file never replaces a good policy.',
  },
  { folder: 'health', purpose: 'Probes: alive, and ready for calls.', never: 'No query that a caller can make slow.' },
  {
    folder: 'deployments',
    purpose: 'Takes deployments in, keeps their history, puts them in force in this replica.',
    never: 'No policy counts that was not tried here.',
  },
  {
    folder: 'judgement',
    purpose: 'What the judge of core needs of a server: clock, threads, remote detectors, keys; what may be stored.',
    never: 'It stores and sends nothing.',
  },
  {
    folder: 'events',
    purpose: 'The log: group commit, reading back; what the log and calls ask of limits and budgets.',
    never: 'No answer before the commit, or for an end before the journal has it.',
  },
  {
    folder: 'exports',
    purpose: 'Exports as jobs: files of events that are written while nobody waits, once or again and again.',
    never: 'It changes nothing in the log; a job counts for one process at a time.',
  },
  {
    folder: 'erasure',
    purpose: 'Erases people: empties what the log and its copies keep of them, and certifies it.',
    never: 'No row of an event goes: that a call took place, and what it cost, stays.',
  },
  {
    folder: 'budgets',
    purpose: 'Prices, the ledger, what may be spent and was.',
    never: 'No amount in a float; no grant without the ledger.',
  },
  {
    folder: 'insight',
    purpose: 'Statistics of the log: figures over time.',
    never: 'It reads and changes nothing.',
  },
  {
    folder: 'apps',
    purpose: 'One app as its account sees it: limits, use, last event, refusals.',
    never: 'It judges nothing.',
  },
  {
    folder: 'attention',
    purpose: 'What somebody should look at, in one list.',
    never: 'It changes nothing but what it is told to hide.',
  },
  { folder: 'views', purpose: 'Filters of pages under a name, private or shared.', never: 'It reads no events.' },
  {
    folder: 'inquiries',
    purpose:
      'Answers questions about policies and decisions, in threads: rules, why, differences, what would be decided.',
    never: 'It changes and stores nothing.',
  },
  { folder: 'me', purpose: 'Who asks and what this service is, in one answer.', never: 'It decides nothing.' },
  {
    folder: 'calls',
    purpose:
      'One call, whatever door it comes through: admitted, judged, reserved for, refused or recorded, and its end.',
    never: 'It talks to no provider.',
  },
  {
    folder: 'ingest',
    purpose: 'The door for events that clients submit: read, and answered.',
    never: 'It judges and stores nothing by itself.',
  },
  {
    folder: 'call-door',
    purpose: 'Calls that their client makes by itself: asked about before, told afterwards.',
    never: 'It talks to no provider; the first end of a call counts.',
  },
  {
    folder: 'gateway',
    purpose: 'The proxy: upstream, headers, held and guarded streams.',
    never: 'The only code that talks to providers.',
  },
  {
    folder: 'dashboard',
    purpose: "Serves the dashboard's built files under a strict content security policy.",
    never: 'It knows no account and no route of the API.',
  },
];

/** Folders beside `src`, for the table of docs/architecture.md. */
export const BESIDE = [
  {
    folder: 'plugins/<id>',
    purpose: 'One detector, structure plugin or ledger plugin each: code, spec, page.',
    never: 'No other plugin, no I/O, no state between texts.',
  },
  {
    folder: 'dashboard',
    purpose: "The pages for people, React, built into `dist/dashboard`; folders are named as the server's.",
    never: 'Nothing of the server: it asks the API like everybody else.',
  },
  { folder: 'policies', purpose: 'The shipped policies and their tests.', never: '' },
  {
    folder: 'cli',
    purpose: 'The `weir` command.',
    never:
      'No Nest except in `weir server …`, loaded when asked for. Commands that need no server are bundled by the build ([0021](adr/0021-offline-commands-in-few-files.md)).',
  },
  {
    folder: 'bench',
    purpose: 'Speed and memory, as figures compared in one run.',
    never: 'No test depends on a time.',
  },
  {
    folder: 'test',
    purpose: 'Tests of more than one file: integration, end to end, conformance, leaks, isolation.',
    never: 'Nothing that ships imports it.',
  },
  {
    folder: 'scripts',
    purpose:
      'What npm scripts run: build ([the service in few files](adr/0092-the-service-in-few-files.md)), generate, check, release.',
    never: 'No product code.',
  },
];
