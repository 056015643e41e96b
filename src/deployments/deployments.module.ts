import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AdminAudit } from '../admin-audit/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { Database, DatabaseModule } from '../database/index.js';
import { LOGGER, type Logger } from '../http/index.js';
import { Metrics } from '../metrics/index.js';
import { LoadedPlugins } from '../plugin-registry/index.js';
import { PolicyStore } from '../policy-store/index.js';
import { VERSION } from '../version.js';
import { ActivationLoop } from './activation-loop.js';
import { Activator } from './activator.js';
import { BundleVetting } from './bundle-vetting.js';
import { DeployedTexts } from './deployed-texts.js';
import { DeploymentHistory } from './deployment-history.js';
import { DeploymentsController } from './deployments.controller.js';
import { Deployments } from './deployments.service.js';
import { describeActivations } from './metrics.js';
import { PacedReads } from './paced-reads.js';
import { ReplicaReports } from './replica-reports.js';
import { RetentionInForce } from './retention-in-force.js';
import { pluginNames } from './vetting-protocol.js';

/** Deployments of policies. The deployed policies are active before the application is created. */
@Module({
  imports: [AccessModule, DatabaseModule],
  controllers: [DeploymentsController],
  providers: [
    {
      provide: DeploymentHistory,
      inject: [Database, AdminAudit],
      useFactory: ({ sql, clock }: Database, audit: AdminAudit): DeploymentHistory =>
        new DeploymentHistory(sql, audit, () => clock.now()),
    },
    {
      provide: ReplicaReports,
      inject: [Database],
      useFactory: ({ sql }: Database): ReplicaReports => new ReplicaReports(sql),
    },
    {
      provide: BundleVetting,
      inject: [APP_CONFIG, LoadedPlugins],
      useFactory: ({ plugins: packages }: AppConfig, { catalog }: LoadedPlugins): BundleVetting =>
        new BundleVetting({ packages, plugins: pluginNames(catalog) }),
    },
    {
      provide: Activator,
      inject: [
        Database,
        PolicyStore,
        DeploymentHistory,
        ReplicaReports,
        LoadedPlugins,
        BundleVetting,
        APP_CONFIG,
        LOGGER,
        Metrics,
      ],
      useFactory: async (
        database: Database,
        store: PolicyStore,
        history: DeploymentHistory,
        reports: ReplicaReports,
        { catalog: plugins }: LoadedPlugins,
        vetting: BundleVetting,
        { policies }: AppConfig,
        log: Logger,
        metrics: Metrics,
      ): Promise<Activator> => {
        const self = {
          id: randomUUID(),
          name: `${hostname()}:${process.pid}`,
          version: VERSION,
          startedAtMs: database.clock.nowMs(),
        };
        const activator = new Activator({ store, history, reports, plugins, vetting, signatures: policies, self, log });
        describeActivations(metrics, store, activator);
        await new ActivationLoop(activator, log).start(database, () => reports.leave(self.id));
        return activator;
      },
    },
    { provide: PacedReads, useFactory: (): PacedReads => new PacedReads() },
    {
      provide: DeployedTexts,
      inject: [DeploymentHistory, Deployments, PolicyStore, PacedReads],
      useFactory: (
        history: DeploymentHistory,
        deployments: Deployments,
        store: PolicyStore,
        reads: PacedReads,
      ): DeployedTexts => new DeployedTexts(history, deployments, store, reads),
    },
    {
      provide: RetentionInForce,
      // Deployments are active before it is used.
      inject: [Database, PolicyStore, Activator],
      useFactory: ({ sql }: Database, store: PolicyStore): RetentionInForce => new RetentionInForce(sql, store),
    },
    {
      provide: Deployments,
      inject: [
        PolicyStore,
        DeploymentHistory,
        PacedReads,
        ReplicaReports,
        Activator,
        LoadedPlugins,
        BundleVetting,
        APP_CONFIG,
      ],
      useFactory: (
        store: PolicyStore,
        history: DeploymentHistory,
        reads: PacedReads,
        reports: ReplicaReports,
        activator: Activator,
        { catalog: plugins }: LoadedPlugins,
        vetting: BundleVetting,
        { policies }: AppConfig,
      ): Deployments =>
        new Deployments({
          store,
          history,
          reads,
          reports,
          activator,
          plugins,
          vetting,
          signatures: policies,
          nowMs: () => Date.now(),
        }),
    },
  ],
  exports: [DeployedTexts, ReplicaReports, RetentionInForce],
})
export class DeploymentsModule {}
