/**
 * The supervisor of a service with several processes: it combines supervision with the counting of hits and logging. It does
 * not load the service itself.
 */
import { fileURLToPath } from 'node:url';
import type { AppConfig } from './config/index.js';
import { createLogger } from './http/logger.js';
import { MemoryStorage } from './limits/memory-storage.js';
import { forkWorker, Supervisor, takePort } from './processes/index.js';

/** The program of a worker, which itself detects that it is a worker. */
const WORKER = fileURLToPath(new URL('./main.js', import.meta.url));

/**
 * Creates a supervisor with the configured number of workers, and takes the port for them.
 * @throws Node's error when another process uses the port
 */
export async function createSupervisor(config: AppConfig, welcome: (text: string) => void): Promise<Supervisor> {
  const giveBackPort = await takePort(config.server.port, config.server.host);
  const logger = createLogger(config.log.level);
  const storage = new MemoryStorage(() => performance.now());
  return new Supervisor({
    count: config.workers.count,
    fork: (number) => forkWorker(WORKER, number),
    countHit: ({ key, windowMs, limit, name, hits }) => storage.increment(key, windowMs, limit, 0, name, hits),
    allReady: welcome,
    // The workers listen until they end, so the next process that takes the port has to wait for them.
    stopping: () => void giveBackPort(),
    ended: (worker, how, pauseMs) =>
      logger.error({ context: 'workers', worker, pauseMs }, `A worker has ended (${how}); it is being restarted`),
    nowMs: () => performance.now(),
    later: (work, ms) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
  });
}
