/**
 * `npm run gen`: writes the files that are generated from the code, such as the reference pages. `-- --check` writes nothing and
 * fails when a file is out of date.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { ensureBuilt } from './build-if-changed.mjs';
import { describedCommands } from './gen-commands.mjs';
import { columnNames, migrationList } from './gen-lists.mjs';
import { pythonApi } from './gen-sdk-python.mjs';
import { architecturePage, table, withSection } from './gen-sections.mjs';
import { ensurePackages, requireOfTests } from './packages-apart.mjs';
import { requirePinnedNode } from './with-pinned-node.mjs';

await requirePinnedNode();
await ensureBuilt();
await ensurePackages('test');
const { ERROR_CATALOGUE, PROBLEM_CODES, BASE_FACTS, OPERATORS, compilePolicy } =
  await import('../dist/src/core/index.js');
const { LINT_CODES, defaultLevel, LEAF_CLASSES } = await import('../dist/src/authoring/index.js');
const { SETTINGS, CONFIG_FILE_VARIABLE, CONFIG_FILE_SUMMARY, loadConfig } = await import('../dist/src/config/index.js');
const { ERROR_STATUS, retryMayHelp, createLogger, ApiDocument } = await import('../dist/src/http/index.js');
const { PLUGINS } = await import('../dist/plugins/index.js');
const { FILE_COLUMN_NAMES } = await import('../dist/src/events/index.js');
const { createApp } = await import('../dist/src/app.js');
const { run: runWeir } = await import('../dist/cli/run.js');
const { COMMANDS } = await import('../dist/cli/commands/index.js');
const { EXIT } = await import('../dist/cli/exit-code.js');
const { LINT_PAGES } = await import('../dist/cli/lint-pages/index.js');
const { exampleText } = await import('../dist/cli/lint-pages/page.js');
const { PACKS, packPage, packsPage, shortName } = await import('../dist/cli/packs/index.js');
const { projectSchemas } = await import('../dist/cli/input/project-schemas.js');
const { serviceTable } = await import('../dist/bench/service-table.js');
const { z } = await import('zod');

const NOTE = '<!-- Made by `npm run gen` from the code; do not edit. -->';
const page = (title, ...parts) => `${[NOTE, `# ${title}`, ...parts].join('\n\n')}\n`;

const settings = Object.values(SETTINGS);
const fallbackOf = ({ fallback, fallbackNote }) =>
  fallbackNote ?? (fallback === undefined ? 'none' : `\`${fallback}\``);

function configPage() {
  const rows = settings.map((setting) => [
    `\`${setting.name}\``,
    setting.key === undefined ? '' : `\`${setting.key}\``,
    fallbackOf(setting),
    setting.type.form,
    setting.summary,
  ]);
  return page(
    'Settings',
    'All settings are checked at start. One message names all invalid settings, without their values.',
    table(['variable', 'key in the file', 'default', 'form', 'meaning'], rows),
    `\`${CONFIG_FILE_VARIABLE}\`: ${CONFIG_FILE_SUMMARY}`,
  );
}

function envExample() {
  const lines = settings.map(
    (setting) => `# ${setting.summary.replaceAll('`', '')}\n#${setting.name}=${setting.fallback ?? ''}`,
  );
  return `# Settings of the service, each with its default. Made by \`npm run gen\`; see docs/reference/config.md.\n\n${lines.join('\n\n')}\n`;
}

function errorsPage() {
  const rows = Object.entries(ERROR_CATALOGUE).map(([type, { title, hint }]) => [
    `<a id="${type}"></a>\`${type}\``,
    ERROR_STATUS[type],
    title,
    hint,
    retryMayHelp(type) ? 'yes' : 'no',
  ]);
  return page(
    'Errors',
    'Every error of the service itself has the form `{"error": {type, message, trace_id, details?, decision?, violations?, event_id?, docs}}`.\n`trace_id` equals the `x-request-id` header of the answer. The last column says whether the same request may succeed later. Answers with status 400,\n401, 402 or 422 and those of type `trial_limit_reached` contain the header `x-should-retry: false`, because clients would otherwise repeat some of them.\nProxied calls get the same information in the format of their provider: `code` (OpenAI) and `weir.code` contain the type.\n\nA request that does not arrive completely is answered with `invalid_request` in this format and a status of its own: 408 if it is too slow, and 431\nif its address and headers are over 16 KiB. Only after 408 can a retry help.',
    table(['type', 'status', 'what happened', 'what to do', 'retry can help'], rows),
  );
}

function problemsPage() {
  return page(
    'Problems of policy files',
    'A code never changes its meaning. All problems of all files are reported together, each with its place.',
    table(
      ['code', 'meaning'],
      Object.entries(PROBLEM_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  );
}

function lintPage() {
  const anchor = (code) => `<a id="${code.toLowerCase()}"></a>`;
  const sections = Object.entries(LINT_PAGES).map(([code, { why, avoid, prefer }]) =>
    [
      `## ${anchor(code)}${code}: ${LINT_CODES[code]}`,
      `Level: ${defaultLevel(code)}. ${why}`,
      `Avoid\n\n\`\`\`yaml\n${exampleText(avoid)}\n\`\`\``,
      `Prefer\n\n\`\`\`yaml\n${exampleText(prefer)}\n\`\`\``,
    ].join('\n\n'),
  );
  return page(
    'Lint rules',
    '`weir lint` reports these problems. Levels of warnings and of G13x to G3xx can be changed under `lint.levels` in `weir.config.yaml`: `error`, `warning` or `ignore`. A comment on the line of a finding, or above this line, ignores the finding: `# weir-ignore G131: reason (until 2027-01-01)`. Examples contain only the relevant fields; those of G3xx assume the date 2026-11-21.',
    table(
      ['code', 'level', 'meaning'],
      Object.keys(LINT_PAGES).map((code) => [
        `[${code}](#${code.toLowerCase()})`,
        defaultLevel(code),
        LINT_CODES[code],
      ]),
    ),
    ...sections,
  );
}

/** A page for each built-in rule pack, and one about all of them. */
function packPages() {
  const pages = PACKS.map((pack) => {
    const text = `apiVersion: weir/v1\nkind: Policy\nmetadata: { id: production, owner: Weir }\nenvironment: production\ndefault: allow\nextends: [${pack.name}]\n`;
    const files = [{ path: 'production/policy.yaml', text }];
    const { policy } = compilePolicy({ environment: 'production', files, plugins: PLUGINS });
    return [`packs/${shortName(pack.name)}`, packPage(pack, policy)];
  });
  return Object.fromEntries(
    [['packs', packsPage(PACKS)], ...pages].map(([name, text]) => [
      `docs/reference/${name}.md`,
      `${NOTE}\n\n${text}\n`,
    ]),
  );
}

/** The output of each command with `--json`, as JSON Schema. */
async function outputSchemas() {
  const commands = COMMANDS.flatMap((entry) =>
    'commands' in entry
      ? entry.commands.map((command) => [`${entry.name} ${command.usage.split(' ')[0]}`, command])
      : [[entry.usage.split(' ')[0], entry]],
  );
  const found = {};
  for (const [name, command] of commands) {
    const { output: shape } = await command.load();
    if (shape === undefined) continue;
    const schema = { title: `weir ${name} --json`, ...z.toJSONSchema(shape, { target: 'draft-7' }) };
    found[`docs/reference/schemas/${name.replaceAll(' ', '-')}.json`] = `${JSON.stringify(schema, null, 2)}\n`;
  }
  return found;
}

async function policySchemaFiles() {
  const schemas = await projectSchemas(join(process.cwd(), 'policies'), PLUGINS);
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      `policies/_schema/${name}`,
      `${JSON.stringify(schema, null, 1)}\n`,
    ]),
  );
}

const COMPARED_BY = {
  requests: 'requests that both policies judge',
  texts: 'texts that are made from the options and scanned by both versions',
  values: 'the two values',
};

function leavesPage() {
  const rows = Object.entries(LEAF_CLASSES).map(([path, { order, comparedBy, why }]) => [
    `\`${path}\``,
    order.words,
    order.words === 'neither weaker nor stricter' ? '' : COMPARED_BY[comparedBy],
    why,
  ]);
  return page(
    'Effects of policy changes',
    'How `weir diff --fail-on-weakening`, `weir plan` and `weir mutate` classify a change of each leaf of the policy format.\n`[]` stands for the items of a list, `*` for any key, `(regex)` for an option of that plugin.',
    'A change is weaker if more passes than before, or less is recorded; stricter is the opposite. An incomparable change can be weaker or\nstricter; the gate treats it as weaker, because nothing shows that it is not. A test checks that every leaf of the schema has a row.',
    table(['leaf', 'order', 'classified by', 'why'], rows),
  );
}

function factsPage() {
  const structureFacts = PLUGINS.structures.flatMap((structure) => structure.facts);
  const rows = [...BASE_FACTS, ...structureFacts].map((fact) => [
    `\`${fact.name}\``,
    fact.type,
    fact.stages.join(', '),
    [fact.optional ? 'optional' : '', fact.clientControlled ? 'the caller controls the value' : '']
      .filter(Boolean)
      .join('; '),
    fact.summary,
  ]);
  return page(
    'Facts and operators',
    'Rules can read these facts. An optional fact that is absent is `null`, a definite value; any other absent fact is unknown.',
    table(['fact', 'type', 'stages', '', 'meaning'], rows),
    'Every detector `d` under `detectors:` adds `d.types`, `d.count`, `d.score` and `d.counts.<CODE>`. Every budget adds the facts of the ledger plugins, shown here for a budget `b` in dollars.',
    table(['fact', 'type', 'unit', 'meaning'], ledgerFacts()),
    '## Operators',
    Object.keys(OPERATORS)
      .map((name) => `\`${name}\``)
      .join(' '),
  );
}

function ledgerFacts() {
  const budget = { id: 'b', unit: 'usd', limit: 1n };
  return PLUGINS.ledgers
    .flatMap((ledger) => ledger.facts(budget))
    .map(({ name, type, unit, summary }) => [`\`${name}\``, type, unit, summary]);
}

function pluginsPage() {
  const detectors = PLUGINS.detectors.map(({ meta }) => {
    const rows = Object.entries(meta.codes).map(([code, info]) => [
      `\`${code}\``,
      info.title,
      info.enabled ? 'on' : 'off',
      info.minScore,
    ]);
    const reach =
      meta.reach === 'whole_text'
        ? 'the whole text'
        : `at most ${meta.reach.behind} UTF-16 units before its start and ${meta.reach.ahead} after it`;
    const title = `## ${meta.id} ${meta.version}`;
    const about = `${meta.summary} Revision ${meta.revision}; a finding depends on ${reach}. [More](../../plugins/${meta.id}/${meta.id}.md)`;
    return [
      title,
      about,
      ...(rows.length === 0 ? [] : [table(['code', 'meaning', 'default', 'lowest score'], rows)]),
    ].join('\n\n');
  });
  const structures = [...PLUGINS.structures, ...PLUGINS.ledgers].map(
    ({ meta }) =>
      `## ${meta.id} ${meta.version}\n\n${meta.summary} Revision ${meta.revision}. [More](../../plugins/${meta.id}/${meta.id}.md)`,
  );
  return page('Plugins', ...detectors, ...structures);
}

async function helpOf(...words) {
  let text = '';
  const collect = new Writable({ write: (chunk, _encoding, done) => done(void (text += chunk)) });
  const io = { stdin: Readable.from([]), stdout: collect, stderr: collect, env: {}, cwd: '.', nowMs: () => 0 };
  await runWeir([...words, '--help'], { ...io, signal: new AbortController().signal });
  return `\`\`\`\n${text.trim()}\n\`\`\``;
}

const EXIT_MEANINGS = {
  ok: 'The command succeeded',
  findings: 'The command succeeded and found problems',
  usage: 'Wrong flags or arguments, or input or output that cannot be read or written',
  uncompilable: 'A policy or test file cannot be compiled',
  unavailable: 'The server, the network, the credentials or a detector failed, or the time limit was reached',
  pending: 'Changes are pending',
  stale: 'The deployment changed after the plan was made: plan again',
  nothing: 'There was nothing to do, although the command expected something',
  defect: 'An internal error of `weir`',
  interrupted: 'The command was interrupted, for example by Ctrl-C',
  closed: 'The reader of the output closed it before the command was done, so the outcome is unknown',
};

function exitMeaning(name) {
  const meaning = EXIT_MEANINGS[name];
  if (meaning === undefined) throw new Error(`EXIT_MEANINGS in scripts/gen.mjs does not explain the exit code ${name}`);
  return meaning;
}

async function cliPage() {
  const names = COMMANDS.flatMap((entry) =>
    'commands' in entry
      ? entry.commands.map(({ usage }) => [...entry.name.split(' '), usage.split(' ')[0]])
      : [[entry.usage.split(' ')[0]]],
  );
  const sections = [];
  for (const words of names) sections.push(`## weir ${words.join(' ')}`, await helpOf(...words));
  const codes = Object.entries(EXIT).map(([name, code]) => [code, name, exitMeaning(name)]);
  return page(
    'The command line',
    'The result is written to stdout. Progress is written to stderr, and its last line says how the command ended.',
    table(['exit code', 'name', 'meaning'], codes),
    await helpOf(),
    ...sections,
  );
}

async function conformancePage() {
  // The matrix is test code: it runs from the sources, with its fixed seeds.
  await import('../test/support/register-typescript.mjs');
  const { matrixPage } = await import('../test/matrix/page.ts');
  const { heads, rows, calls, red } = await matrixPage();
  return page(
    'Conformance: the same verdict over REST and each proxy',
    'The tests plant a canary text in random valid calls, in every kind of place in which a person, a model or a tool can put a text. Over every entry point, each text is found with its role, tool calls are read as calls, and rules that flag, redact or block take effect.',
    `${calls} calls were judged for this page, ${red} of them wrongly. ✓: all calls with that place and form were judged correctly; ⇉: streamed calls as well; –: the form has no such place. Answers submitted over REST are flagged, but not refused, because the application already has them.`,
    table(heads, rows),
    'Not read as texts: well-formed identifiers, enum values and dates in the fields for them, and images, audio, files, embeddings, signatures and encrypted reasoning in base64. In any other form these fields are read as text.',
    'The tests repeat the matrix with new random calls, also over HTTP. They also remove each field from the decoders in turn, and check that the matrix then fails (`npm run test:unit -- conformance-matrix`, `npm run test:integration -- conformance-matrix`).',
  );
}

async function openApi() {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-gen-'));
  const weir = await createApp(
    loadConfig({ WEIR_DATA_DIR: dataDir, WEIR_POLICIES_WATCH: 'off' }),
    createLogger('silent'),
  );
  try {
    return `${JSON.stringify(weir.app.get(ApiDocument).document, null, 2)}\n`;
  } finally {
    await weir.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The types of the package for Node.js and of the dashboard, generated from the OpenAPI document. */
async function apiTypes(document) {
  const note = `/** Made by \`npm run gen\` from docs/reference/openapi.json; do not edit. */\n\n`;
  const { default: openapiTS, astToString } = requireOfTests('openapi-typescript');
  return note + astToString(await openapiTS(JSON.parse(document)));
}

/** Method, path and credential of each operation, for the client of the whole API in the package for Node.js. */
function apiOperations(document) {
  const { paths } = JSON.parse(document);
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { operationId }]) => operationId !== undefined)
      .map(([method, { operationId, security = [] }]) => {
        const schemes = security.flatMap((each) => Object.keys(each));
        const credential = ['management_token', 'service_key'].find((scheme) => schemes.includes(scheme)) ?? 'none';
        return [operationId, method.toUpperCase(), path, credential];
      }),
  );
  const lines = rows.map(([id, ...row]) => `  ${id}: [${row.map((each) => `'${each}'`).join(', ')}],\n`);
  return `/** Made by \`npm run gen\` from docs/reference/openapi.json; do not edit. */\n\nexport const OPERATIONS = {\n${lines.join('')}} as const;\n`;
}

/** README.md with the figures of the last measured runs, which `npm run bench -- service --json` has saved. */
function readme() {
  const tables = ['embedded', 'postgresql']
    .map((database) => `bench/results/service-${database}.json`)
    .filter((path) => existsSync(path))
    .map((path) => serviceTable(JSON.parse(readFileSync(path, 'utf8'))).join('\n'));
  return withSection(readFileSync('README.md', 'utf8'), 'README.md', 'figures', 'bench/results', tables.join('\n\n'));
}

const document = await openApi();
const files = {
  'README.md': readme(),
  'docs/architecture.md': architecturePage(),
  // One file for all routes, as openapi-typescript generates it. It is committed so that editors and type checks need no build first.
  // It is in the package's folder, because the package is built and published from that folder alone; the dashboard imports it.
  'sdk/node/src/api/schema.ts': await apiTypes(document),
  'sdk/node/src/api/operations.ts': apiOperations(document),
  ...Object.fromEntries(
    Object.entries(pythonApi(document)).map(([name, text]) => [`sdk/python/src/weir_sdk/${name}`, text]),
  ),
  'src/database/migrations/index.ts': migrationList(),
  'dashboard/src/exports/column-names.ts': columnNames(FILE_COLUMN_NAMES),
  'cli/commands/described.ts': await describedCommands(),
  'docs/reference/cli.md': await cliPage(),
  'docs/reference/config.md': configPage(),
  'docs/reference/conformance.md': await conformancePage(),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/facts.md': factsPage(),
  ...packPages(),
  'docs/reference/plugins.md': pluginsPage(),
  'docs/reference/policy-leaves.md': leavesPage(),
  'docs/reference/policy-problems.md': problemsPage(),
  'docs/reference/openapi.json': document,
  'docs/reference/lint.md': lintPage(),
  '.env.example': envExample(),
  ...(await outputSchemas()),
  ...(await policySchemaFiles()),
};
const check = process.argv.includes('--check');
const stale = Object.entries(files).filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
for (const [path, text] of stale) {
  if (check) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
if (check && stale.length > 0) {
  process.stderr.write(`Out of step with the code: ${stale.map(([path]) => path).join(', ')}. Run \`npm run gen\`.\n`);
  process.exitCode = 1;
} else {
  process.stderr.write(
    `${Object.keys(files).length} generated files, ${stale.length} ${check ? 'stale' : 'written'}\n`,
  );
}
