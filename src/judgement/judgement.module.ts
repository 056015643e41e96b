import { Module } from '@nestjs/common';
import { AccessModule, TokenKeys } from '../access/index.js';
import { APP_CONFIG, type AppConfig } from '../config/index.js';
import { DatabaseClock, DatabaseModule } from '../database/index.js';
import { LOGGER, type Logger } from '../http/index.js';
import { JudgementService, type Clock } from './judgement.service.js';
import { RemoteScanner, type RemoteEvent } from './remote-scan.js';
import { ScanCache } from './scan-cache.js';
import { ScanPool } from './scan-pool.js';
import { ScanWorkers } from './scan-workers.js';
import { workClock } from './work-clock.js';

const monotonicMs = (): number => performance.now();
const CLOCKWORK: Omit<Clock, 'nowMs'> = {
  monotonicMs,
  workMs: workClock(monotonicMs, () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  }),
};

const EVENT_TEXTS: Readonly<Record<RemoteEvent, string>> = {
  unknown_service: 'a policy uses a service that is not in WEIR_REMOTE_DETECTORS',
  breaker_opened: 'a remote detector keeps failing and is not called for a while',
  breaker_closed: 'a remote detector answers again',
  answer_refused: 'a remote detector returned an answer in the wrong format',
};

/**
 * Judges calls with the active policy: scan, facts, decision, redaction plan. It stores and reads no data; it sends only the requests of a
 * policy's remote detectors.
 */
@Module({
  imports: [AccessModule, DatabaseModule],
  providers: [
    {
      provide: JudgementService,
      inject: [APP_CONFIG, RemoteScanner, TokenKeys, ScanWorkers, DatabaseClock],
      useFactory: (
        config: AppConfig,
        remote: RemoteScanner,
        tokens: TokenKeys,
        { pool: threads }: ScanWorkers,
        clock: DatabaseClock,
      ) => {
        const { scanCacheBytes, scan } = config;
        const cache = scanCacheBytes > 0 ? new ScanCache(scanCacheBytes) : undefined;
        const pool = threads && new ScanPool({ threads, fromUnits: scan.inlineUnits });
        return new JudgementService({ ...CLOCKWORK, nowMs: () => clock.nowMs() }, remote, tokens, cache, pool);
      },
    },
    ScanWorkers,
    {
      provide: RemoteScanner,
      inject: [APP_CONFIG, LOGGER],
      useFactory: ({ remoteDetectors }: AppConfig, logger: Logger) =>
        new RemoteScanner({
          services: remoteDetectors,
          nowMs: () => CLOCKWORK.monotonicMs(),
          random: () => Math.random(),
          onEvent: (event, service, account) => logger.warn({ service, account_id: account }, EVENT_TEXTS[event]),
        }),
    },
  ],
  exports: [JudgementService],
})
export class JudgementModule {}
