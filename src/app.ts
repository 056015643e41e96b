import type { Server } from 'node:http';
import { DiscoveryService, MetadataScanner, NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { Bootstrap } from './access/index.js';
import { assertRoutesRecord, type ServedRoute } from './admin-audit/index.js';
import { AppModule } from './app.module.js';
import type { AppConfig } from './config/index.js';
import type { PluginCatalog } from './core/index.js';
import { serveDashboard } from './dashboard/index.js';
import { Database } from './database/index.js';
import { Readiness } from './health/index.js';
import {
  addListeningSockets,
  ApiDocument,
  CAN_SHARE_PORT,
  ConnectionDrain,
  createHttpAdapter,
  createLogger,
  NestLogger,
  whenListeningEnds,
  type Logger,
} from './http/index.js';
import { refuseOtherSites } from './identity/index.js';
import { Metrics } from './metrics/index.js';
import { takePort, type SupervisorLine } from './processes/index.js';
import { SHIPPED_PLUGINS } from './plugin-registry/index.js';
import { startTelemetry, type Telemetry } from './telemetry/index.js';
import { VERSION } from './version.js';

export interface CreateOptions {
  readonly logger?: Logger;
  /** Replaces the plugins that are shipped with Weir. */
  readonly plugins?: PluginCatalog;
  /** The folder of a built dashboard, instead of the dashboard that is shipped with Weir. */
  readonly dashboard?: string;
  /** The connection to the supervisor of this process, if the process is one of several. */
  readonly line?: SupervisorLine;
}

/** A service that is assembled but does not listen yet. */
export interface WeirApp {
  readonly app: NestFastifyApplication;
  readonly logger: Logger;
  /** Every route of the HTTP server, whichever code added it. */
  readonly routes: readonly ServedRoute[];
  /** The file to which a first start wrote the first account's credentials; null when there already was an account. */
  readonly bootstrapFile: string | null;
  /**
   * Resolves, after a line in the log, if the embedded database has ended unexpectedly: this process cannot record calls any more, and should
   * end.
   */
  readonly lost: Promise<undefined>;
  /** Starts to accept requests. Rejects with Node's error when the address is in use. */
  listen(): Promise<void>;
  /**
   * Reports that the service is not ready, stops accepting requests after load balancers have had time to notice, lets running
   * requests finish within the drain limit, stores accepted events, and ends.
   */
  close(how?: {
    /** Whether a person waits for the end at a terminal: then there is no waiting time for load balancers. */
    readonly isInteractive?: boolean;
  }): Promise<void>;
}

/**
 * Opens the database, loads the policies and assembles the features. On an empty database it creates the first account.
 *
 * @throws PolicyLoadError, DatabaseUnusable, DatabaseUnavailable: `startErrorText` has a message for each
 */
export async function createApp(config: AppConfig, options: CreateOptions = {}): Promise<WeirApp> {
  const { line } = options;
  const metrics = new Metrics(line === undefined ? undefined : () => line.figuresOfAll());
  line?.reportFigures(() => metrics.figures());
  const telemetry = await telemetryOf(config, metrics);
  try {
    return await assemble(config, options, { metrics, telemetry });
  } catch (error) {
    // The traces of a failed start are of interest, so they are sent before the error is thrown.
    await telemetry?.close();
    throw error;
  }
}

interface Observers {
  readonly metrics: Metrics;
  readonly telemetry: Telemetry | undefined;
}

async function assemble(
  config: AppConfig,
  options: CreateOptions,
  { metrics, telemetry }: Observers,
): Promise<WeirApp> {
  const { logger = createLogger(config.log.level), plugins = SHIPPED_PLUGINS, line = null } = options;
  const drain = new ConnectionDrain();
  const adapter = createHttpAdapter(config, logger, (request) => metrics.served(request), drain);
  const routes = noteRoutes(adapter);
  refuseOtherSites(adapter.getInstance(), config.server.baseUrl);
  await serveDashboard(adapter.getInstance(), options.dashboard);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(config, { logger, metrics, plugins, line }),
    adapter,
    {
      bodyParser: false,
      abortOnError: false,
      logger: new NestLogger(logger),
    },
  );
  try {
    await app.init();
    assertRoutesRecord(routes, controllersOf(app), new MetadataScanner());
    app.get(ApiDocument).describe(app, config.server.baseUrl, VERSION);
    const bootstrapFile =
      config.database.kind === 'embedded' ? await app.get(Bootstrap).ensure(config.server.baseUrl) : null;
    return {
      app,
      logger,
      routes,
      bootstrapFile,
      lost: app.get(Database).lost.then(() => logDatabaseLoss(logger)),
      listen: () => listenOn(app, config.server, line !== null),
      close: ({ isInteractive = false } = {}) => {
        app.get(Readiness).drain();
        const { shutdownNoticeMs, drainTimeoutMs: limitMs } = config.server;
        const noticeMs = isInteractive ? 0 : shutdownNoticeMs;
        const end = async (): Promise<void> => {
          await telemetry?.flushFigures();
          await app.close();
        };
        return drain.run(app.getHttpServer(), end, { noticeMs, limitMs }).finally(() => telemetry?.close());
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** @param isTaken whether the supervisor of this process has taken the port for all of its workers */
async function listenOn(
  app: NestFastifyApplication,
  { port, host }: AppConfig['server'],
  isTaken: boolean,
): Promise<void> {
  if (!CAN_SHARE_PORT && !isTaken) {
    await app.listen({ port, host });
    return;
  }
  // The operating system chooses port 0 so that nobody else has it.
  const release = isTaken || port === 0 ? undefined : await takePort(port, host);
  const server: Server = app.getHttpServer();
  try {
    const shared = { port, host, reusePort: true, exclusive: true };
    await app.listen(shared);
    await addListeningSockets(server);
  } catch (error) {
    await release?.();
    throw error;
  }
  // Before the last connection has ended: the next process takes the port while this one completes its streams.
  if (release !== undefined) whenListeningEnds(server, () => void release());
}

function logDatabaseLoss(logger: Logger): undefined {
  logger.fatal(
    { context: 'database' },
    'The embedded database has ended unexpectedly; this process ends too, because only a new one can open it again',
  );
}

/** Starts the export of telemetry; returns undefined, and sends nothing, if no collector is set. */
async function telemetryOf(
  { telemetry: { endpoint, sampled } }: AppConfig,
  metrics: Metrics,
): Promise<Telemetry | undefined> {
  if (endpoint === undefined) return undefined;
  const traces = sampled === undefined ? {} : { sampled };
  return startTelemetry({ endpoint, ...traces, version: VERSION, figures: () => metrics.figures() });
}

/** Collects every route that is registered with the server from now on. */
function noteRoutes(adapter: FastifyAdapter): readonly ServedRoute[] {
  const routes: ServedRoute[] = [];
  adapter.getInstance().addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) routes.push({ method: each.toUpperCase(), url });
  });
  return routes;
}

function controllersOf(app: NestFastifyApplication): object[] {
  return app
    .get(DiscoveryService)
    .getControllers()
    .flatMap(({ metatype }) => (metatype === null || metatype === undefined ? [] : [metatype]));
}
