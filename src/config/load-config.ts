/** Reads the environment and the configuration file into one typed tree, or reports all invalid settings together. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { nearestWord, PROVIDER_STYLES } from '../core/index.js';
import type { AppConfig } from './app-config.js';
import { ConfigError, type ConfigProblem } from './config-error.js';
import { readConfigFile, type ConfigFile } from './config-file.js';
import {
  CLIENT_VARIABLES,
  CONFIG_FILE_VARIABLE,
  SERVICE_LINK_VARIABLE,
  SETTINGS,
  type Setting,
  type SettingValues,
} from './settings.js';

export type Env = Readonly<Record<string, string | undefined>>;
/** Reads a UTF-8 file; throws when it cannot be read. */
export type ReadFile = (path: string) => string;

const ALL: readonly [string, Setting<unknown>][] = Object.entries(SETTINGS);

/**
 * Reads every setting. An empty variable counts as unset; a variable takes precedence over the file; relative paths are resolved from
 * the working directory, those in the file from the file's folder.
 *
 * @param workerNumber which of several processes this one is
 * @throws {ConfigError} naming each wrong, unknown or unreadable setting; no value is repeated.
 */
export function loadConfig(
  env: Env,
  readFile: ReadFile,
  workingDir: string = process.cwd(),
  workerNumber = 1,
): AppConfig {
  const problems: ConfigProblem[] = unknownVariables(env);
  const filePath = env[CONFIG_FILE_VARIABLE];
  const file =
    filePath === undefined || filePath === '' ? undefined : openFile(resolve(workingDir, filePath), readFile, problems);
  const values: Record<string, unknown> = {};
  for (const [id, setting] of ALL) {
    const fromEnv = env[setting.name];
    const fromFile = setting.key === undefined ? undefined : file?.values.get(setting.key);
    const [text, place, baseDir] =
      fromEnv !== undefined && fromEnv !== ''
        ? [fromEnv, setting.name, workingDir]
        : fromFile !== undefined
          ? [fromFile, `${CONFIG_FILE_VARIABLE} ${setting.key}`, file?.baseDir ?? workingDir]
          : [setting.fallback, setting.name, workingDir];
    if (text === undefined) continue;
    const parsed = setting.type.parse(text, { baseDir });
    if (!parsed.ok) {
      problems.push({ setting: place, problem: parsed.problem });
      continue;
    }
    values[id] = parsed.value;
  }
  problems.push(...tokensWithoutService(values), ...signaturesWithoutKey(values));
  problems.push(...halfOfStripe(values), ...replicaOfNothing(values), ...workersOfEmbedded(values));
  problems.push(...bucketWithoutKey(values));
  if (problems.length > 0) throw new ConfigError(problems);
  // Each value was parsed by its own setting, from which SettingValues is derived.
  return toAppConfig(values as SettingValues, file, workerNumber);
}

/** `loadConfig` on this process's own environment. */
export function loadProcessConfig(workerNumber?: number): AppConfig {
  return loadConfig(process.env, (path) => readFileSync(path, 'utf8'), undefined, workerNumber);
}

/** If signatures are required and no key is trusted, nothing can be deployed. */
function signaturesWithoutKey({ policySignatures, policyKeys }: Partial<SettingValues>): ConfigProblem[] {
  if (policySignatures !== 'required' || policyKeys !== undefined) return [];
  return [{ setting: SETTINGS.policySignatures.name, problem: `needs ${SETTINGS.policyKeys.name}` }];
}

/** A token whose name is misspelt would silently not be sent. */
function tokensWithoutService({ remoteDetectors, remoteDetectorTokens }: Partial<SettingValues>): ConfigProblem[] {
  const strangers = [...(remoteDetectorTokens?.keys() ?? [])].filter((name) => remoteDetectors?.has(name) !== true);
  if (strangers.length === 0) return [];
  const { name: setting } = SETTINGS.remoteDetectorTokens;
  return [{ setting, problem: `must be for services named in ${SETTINGS.remoteDetectors.name}` }];
}

/** With only half of its settings, a payment page would fail when somebody wants to pay. */
function halfOfStripe({ stripeSecretKey, stripePriceId }: Partial<SettingValues>): ConfigProblem[] {
  if ((stripeSecretKey === undefined) === (stripePriceId === undefined)) return [];
  const [given, missing] =
    stripePriceId === undefined
      ? [SETTINGS.stripeSecretKey, SETTINGS.stripePriceId]
      : [SETTINGS.stripePriceId, SETTINGS.stripeSecretKey];
  return [{ setting: given.name, problem: `needs ${missing.name}` }];
}

/** The embedded database has no standby. */
function replicaOfNothing({ databaseReadUrl, databaseUrl }: Partial<SettingValues>): ConfigProblem[] {
  if (databaseReadUrl === undefined || databaseUrl !== undefined) return [];
  return [{ setting: SETTINGS.databaseReadUrl.name, problem: `needs ${SETTINGS.databaseUrl.name}` }];
}

/** The embedded database serves only one process. */
function workersOfEmbedded({ workers, databaseUrl }: Partial<SettingValues>): ConfigProblem[] {
  if (workers === undefined || workers === 1 || databaseUrl !== undefined) return [];
  const problem = `needs ${SETTINGS.databaseUrl.name}: the embedded database serves one process. Set the number to 1, or move to PostgreSQL`;
  return [{ setting: SETTINGS.workers.name, problem }];
}

/** A bucket needs an access key; half of a key would be noticed only when the first week is archived. */
function bucketWithoutKey(values: Partial<SettingValues>): ConfigProblem[] {
  const { archive, archiveAccessKeyId: id, archiveSecretAccessKey: secret } = values;
  const isBucket = archive?.kind === 's3';
  const setting = SETTINGS.archive.name;
  if (isBucket && id === undefined) return [{ setting, problem: `needs ${SETTINGS.archiveAccessKeyId.name}` }];
  if ((isBucket || id !== undefined) && secret === undefined) {
    return [
      {
        setting: isBucket ? setting : SETTINGS.archiveAccessKeyId.name,
        problem: `needs ${SETTINGS.archiveSecretAccessKey.name}`,
      },
    ];
  }
  return [];
}

/** Unknown `WEIR_*` variables: most likely typos, which must not be ignored silently. */
function unknownVariables(env: Env): ConfigProblem[] {
  const known = [CONFIG_FILE_VARIABLE, ...ALL.map(([, setting]) => setting.name)];
  return Object.keys(env)
    .filter((name) => name.startsWith('WEIR_') && !known.includes(name))
    .filter((name) => !CLIENT_VARIABLES.includes(name) && !SERVICE_LINK_VARIABLE.test(name))
    .sort()
    .map((name) => {
      const near = nearestWord(name, known);
      return { setting: name, problem: `is not a setting${near === undefined ? '' : `; did you mean ${near}?`}` };
    });
}

function openFile(
  path: string,
  readFile: ReadFile,
  problems: ConfigProblem[],
): (ConfigFile & { baseDir: string }) | undefined {
  let text: string;
  try {
    text = readFile(path);
  } catch {
    problems.push({ setting: CONFIG_FILE_VARIABLE, problem: 'names a file that cannot be read' });
    return undefined;
  }
  const keys = ALL.flatMap(([, setting]) => (setting.key === undefined ? [] : [setting.key]));
  const file = readConfigFile(text, keys);
  problems.push(...file.problems);
  return { ...file, baseDir: dirname(path) };
}

function serverConfig(values: SettingValues): AppConfig['server'] {
  return {
    host: values.host,
    port: values.port,
    baseUrl: values.baseUrl ?? `http://localhost:${values.port}`,
    trustProxy: values.trustProxy ?? [],
    requestTimeoutMs: values.requestTimeout,
    shutdownNoticeMs: values.shutdownNotice,
    drainTimeoutMs: values.drainTimeout,
  };
}

function toAppConfig(values: SettingValues, file: ConfigFile | undefined, workerNumber: number): AppConfig {
  const { databaseUrl, databaseCallTimeout, redisUrl, smtpUrl } = values;
  const server = serverConfig(values);
  return {
    server,
    workers: { count: values.workers === 'auto' ? availableParallelism() : values.workers, number: workerNumber },
    dataDir: values.dataDir,
    journalBytes: values.journalSize,
    database: {
      ...(databaseUrl === undefined ? { kind: 'embedded' } : postgres(databaseUrl, values)),
      ...(databaseCallTimeout === undefined ? {} : { callTimeoutMs: databaseCallTimeout }),
    },
    ...(redisUrl === undefined ? {} : { redisUrl }),
    redisDeadlineMs: values.redisDeadline,
    policies: {
      dir: values.policiesDir,
      watch: values.policiesWatch ?? databaseUrl === undefined,
      trustedKeys: values.policyKeys ?? [],
      requireSignature: values.policySignatures === 'required',
    },
    ...(values.tokenSecret === undefined ? {} : { tokenSecret: values.tokenSecret }),
    scanCacheBytes: values.scanCache,
    scan: {
      threads: values.scanThreads,
      threadMemoryBytes: values.scanThreadMemory,
      inlineUnits: values.scanInline,
    },
    overload: {
      targetDelayMs: values.overloadDelay,
      longestWaitMs: values.overloadWait,
      bodyBytes: values.bodyMemory,
    },
    plugins: values.plugins ?? [],
    remoteDetectors: [...(values.remoteDetectors ?? [])].map(([name, baseUrl]) => {
      const token = values.remoteDetectorTokens?.get(name);
      return { name, baseUrl, ...(token === undefined ? {} : { token }) };
    }),
    events: { bodyLimitBytes: values.eventsBodyLimit },
    archive: { afterMs: values.archiveAfter, ...archivePlaceOf(values) },
    exports: { keepMs: values.exportKeep, storageBytes: values.exportStorage, endpoints: values.exportEndpoints ?? [] },
    proxy: proxy(values),
    documents: documents(values),
    providers: [
      ...PROVIDER_STYLES.map((id) => ({ id, style: id, baseUrl: values[`${id}BaseUrl`] })),
      ...(file?.providers ?? []),
    ],
    rates: rates(values),
    stripe: stripe(values),
    billing: { enabled: values.billing, trialEvents: values.trialEvents, trialDays: values.trialDays },
    mail: {
      ...(smtpUrl === undefined ? {} : { smtpUrl }),
      from: values.mailFrom ?? `weir@${new URL(server.baseUrl).hostname}`,
    },
    log: { level: values.logLevel },
    telemetry: telemetry(values),
  };
}

function proxy(values: SettingValues): AppConfig['proxy'] {
  return {
    bodyLimitBytes: values.proxyBodyLimit,
    connectTimeoutMs: values.upstreamConnectTimeout,
    headersTimeoutMs: values.upstreamHeadersTimeout,
    idleTimeoutMs: values.upstreamIdleTimeout,
    totalTimeoutMs: values.upstreamTotalTimeout,
    clientIdleTimeoutMs: values.clientIdleTimeout,
    answerLimitBytes: values.proxyAnswerLimit,
    maxCompressionRatio: values.proxyRatioLimit,
    furtherHeaders: values.proxyHeaders ?? [],
    askForStreamUsage: values.proxyStreamUsage,
    recordsConcurrently: values.record === 'beside',
    refuseTokenIds: values.proxyTokenIds === 'refuse',
  };
}

function telemetry({ otlpEndpoint: endpoint, otlpSampling: sampled }: SettingValues): AppConfig['telemetry'] {
  return { ...(sampled === undefined ? {} : { sampled }), ...(endpoint === undefined ? {} : { endpoint }) };
}

function postgres(url: string, values: SettingValues): AppConfig['database'] {
  const { databasePool: poolSize, databaseReadUrl, readMaxLag: maxLagMs } = values;
  const replica = databaseReadUrl === undefined ? {} : { replica: { databaseUrl: databaseReadUrl, maxLagMs } };
  return { kind: 'postgres', url, poolSize, ...replica };
}

function archivePlaceOf(values: SettingValues): Pick<AppConfig['archive'], 'place'> {
  const { archive, archiveRegion: region, archiveEndpoint: endpoint } = values;
  if (archive === undefined) return {};
  if (archive.kind === 'directory') return { place: archive };
  const credentials = {
    access_key_id: values.archiveAccessKeyId ?? '',
    secret_access_key: values.archiveSecretAccessKey ?? '',
  };
  return { place: { ...archive, region, ...(endpoint === undefined ? {} : { endpoint }), credentials } };
}

function documents(values: SettingValues): AppConfig['documents'] {
  return {
    threads: values.documentThreads,
    workMs: values.documentWork,
    memoryLimitMb: Math.floor(values.documentMemory / 1_048_576),
    queue: values.documentQueue,
    limits: {
      pages: values.documentPages,
      files: values.documentFiles,
      unpackedBytes: values.documentUnpacked,
      ratio: values.documentRatio,
      textChars: values.documentText,
    },
  };
}

function rates(values: SettingValues): AppConfig['rates'] {
  const {
    rateEvents: events,
    rateBatch: batch,
    rateProxy: proxy,
    rateCalls: calls,
    rateManagement: management,
    rateAuth: auth,
    rateAddress: address,
  } = values;
  return {
    ...(events === 'off' ? {} : { events }),
    ...(batch === 'off' ? {} : { batch }),
    ...(proxy === 'off' ? {} : { proxy }),
    ...(calls === 'off' ? {} : { calls }),
    ...(management === 'off' ? {} : { management }),
    ...(auth === 'off' ? {} : { auth }),
    ...(address === 'off' ? {} : { address }),
  };
}

function stripe(values: SettingValues): AppConfig['stripe'] {
  const { stripeWebhookSecret: webhookSecret, stripeSecretKey: secretKey, stripePriceId: priceId } = values;
  return {
    ...(webhookSecret === undefined ? {} : { webhookSecret }),
    ...(secretKey === undefined ? {} : { secretKey }),
    ...(priceId === undefined ? {} : { priceId }),
    baseUrl: values.stripeBaseUrl,
  };
}
