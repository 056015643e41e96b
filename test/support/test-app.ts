/** The whole service inside the test's process: own data directory, own policies, own detector, a free port. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { budget } from '../../plugins/budget/budget.js';
import { toolUse } from '../../plugins/tool-use/tool-use.js';
import { createApp, type WeirApp } from '../../src/app.js';
import { Bootstrap } from '../../src/access/index.js';
import { loadConfig, type AppConfig } from '../../src/config/index.js';
import { defineDetector, type PluginCatalog } from '../../src/core/index.js';
import { databaseOptions, migrate, openDatabase } from '../../src/database/index.js';
import { createLogger } from '../../src/http/index.js';
import { newDatabaseFolder } from './database-folder.js';
import { newMigratedDataDir } from './embedded-template.js';
import { NO_LIMITS } from './no-limits.js';
import { freePort, readBootstrap, type Bootstrap as BootstrapFile } from './server-process.js';
import { variantEnv } from './variant.js';

/** YAML texts by their path under the policies directory. */
export type PolicyFiles = Readonly<Record<string, string>>;

export interface TestAppOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly policies?: PolicyFiles;
  readonly plugins?: PluginCatalog;
  /** An empty PostgreSQL database instead of the embedded one; it is migrated and gets its first account. */
  readonly databaseUrl?: string;
  /** Another service on the same database: this one becomes its replica. */
  readonly replicaOf?: TestApp;
}

/**
 * Finds words that stand for findings of real detectors, so that tests of the pipeline do not depend on patterns: `mail-7` (MAIL),
 * `token-7` (TOKEN), `ssn-7` (SSN); it throws on `explode`.
 */
const testWords = defineDetector({
  meta: {
    id: 'test-words',
    version: '1.0.0',
    revision: 3,
    family: 'content',
    summary: 'Finds words that tests use.',
    codes: {
      MAIL: { title: 'A mail word', enabled: true, minScore: 0.5 },
      TOKEN: { title: 'A token word', enabled: true, minScore: 0.5 },
      SSN: { title: 'A number word', enabled: true, minScore: 0.5 },
    },
    reach: { behind: 0, ahead: 20 },
    options: z.strictObject({}),
    examples: [],
  },
  create:
    (_options, { codes }) =>
    (text) => {
      if (text.includes('explode')) throw new Error(`cannot read ${text}`);
      return [...text.matchAll(/\b(mail|token|ssn)-\d+\b/g)]
        .map((match) => ({
          code: (match[1] ?? '').toUpperCase() as 'MAIL' | 'TOKEN' | 'SSN',
          start: match.index,
          end: match.index + match[0].length,
          score: 0.9,
        }))
        .filter(({ code }) => codes.has(code));
    },
});

export const TEST_PLUGINS: PluginCatalog = { detectors: [testWords], structures: [toolUse], ledgers: [budget] };

/** One environment's policy, which uses the test detector: redact MAIL, block SSN, flag TOKEN, block the tool `run_shell`. */
export function testPolicy(environment: string, settings: string): string {
  return `
apiVersion: weir/v1
kind: Policy
metadata: { id: ${environment}, title: Test policy, owner: tests@example.com }
environment: ${environment}
default: allow
${settings}
# Long deadlines, so that a busy machine does not look like a slow detector.
stages: { pre: { deadline_ms: 60000 }, post: { deadline_ms: 60000 }, tool: { deadline_ms: 60000 } }
detectors:
  words: { plugin: test-words@^1 }
rules:
  - id: words.redact-mail
    title: Mail words are masked
    stage: pre
    severity: medium
    when: { all: [ { words.types: { any_of: [MAIL] } } ] }
    then: { action: redact, redact: { entities: [MAIL], with: '[{type}_{n}]', label: contains_pii } }
    on_unknown: no_match
  - id: words.block-ssn
    title: Number words stay inside
    stage: pre
    severity: critical
    when: { all: [ { words.types: { any_of: [SSN] } } ] }
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
  - id: words.flag-token
    title: Token words are flagged
    stage: pre
    severity: low
    when: { all: [ { words.types: { any_of: [TOKEN] } } ] }
    then: { action: flag }
    on_unknown: no_match
  - id: words.redact-answer
    title: Mail words in answers are masked
    stage: post
    severity: medium
    when: { all: [ { words.types: { any_of: [MAIL] } } ] }
    then: { action: redact, redact: { entities: [MAIL], with: '[{type}_{n}]' } }
    on_unknown: no_match
  - id: tool.block-shell
    title: No shell
    stage: tool
    severity: critical
    when: { all: [ { tool.name: { in: [run_shell] } } ] }
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
  - id: tool.redact-mail
    title: Mail words in arguments are masked
    stage: tool
    severity: low
    when: { all: [ { words.types: { any_of: [MAIL] } } ] }
    then: { action: redact, redact: { entities: [MAIL], with: '[{type}_{n}]' } }
    on_unknown: no_match
`;
}

export const TEST_POLICIES: PolicyFiles = {
  'development/policy.yaml': testPolicy('development', 'mode: monitor\nclient_monitor_mode: honor\ncontent: full'),
  'staging/policy.yaml': testPolicy('staging', 'client_monitor_mode: honor\ncontent: none'),
  'production/policy.yaml': testPolicy('production', 'client_monitor_mode: ignore\ncontent: redacted'),
};

export interface TestApp {
  readonly url: string;
  readonly bootstrap: BootstrapFile;
  readonly weir: WeirApp;
  readonly dataDir: string;
  readonly policiesDir: string;
  /** Every log line so far. */
  readonly logs: readonly string[];
  close(): Promise<void>;
}

/** Starts a service; `close` deletes the data directory and the policies. */
export async function startTestApp({
  env = {},
  policies = TEST_POLICIES,
  plugins = TEST_PLUGINS,
  databaseUrl,
  replicaOf,
}: TestAppOptions = {}): Promise<TestApp> {
  const root = newDatabaseFolder('weir-app-');
  const dataDir = join(root, 'data');
  const policiesDir = join(root, 'policies');
  for (const [path, text] of Object.entries(policies)) {
    mkdirSync(dirname(join(policiesDir, path)), { recursive: true });
    writeFileSync(join(policiesDir, path), text);
  }
  const port = await freePort();
  const settings = {
    PORT: String(port),
    WEIR_DATA_DIR: dataDir,
    WEIR_POLICIES_DIR: policiesDir,
    WEIR_POLICIES_WATCH: 'off',
    WEIR_LOG_LEVEL: 'trace',
    ...NO_LIMITS,
    ...variantEnv(),
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    ...env,
  };
  const config = loadConfig(settings, (path) => readFileSync(path, 'utf8'), root);
  if (replicaOf === undefined) await prepareDatabase(config);
  const logs: string[] = [];
  const logger = createLogger(config.log.level, { write: (line) => void logs.push(line) });
  const weir = await createApp(config, { logger, plugins });
  await weir.listen();
  return {
    url: `http://127.0.0.1:${port}`,
    bootstrap: replicaOf?.bootstrap ?? readBootstrap(dataDir),
    weir,
    dataDir,
    policiesDir,
    logs,
    async close() {
      await weir.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Embedded: copies a database without rows, which is faster than creating one. PostgreSQL: runs the steps of an operator. */
async function prepareDatabase(config: AppConfig): Promise<void> {
  if (config.database.kind === 'embedded') return newMigratedDataDir(config.dataDir);
  const database = await openDatabase(databaseOptions(config));
  try {
    await migrate(database);
    await new Bootstrap(database, config.dataDir).ensure(config.server.baseUrl);
  } finally {
    await database.close();
  }
}
