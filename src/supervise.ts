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
 * After the drain limit, workers store what is left and close. With the default limit, both end before the 40 s of the files in `deploy`.
 */
const CLOSING_MS = 8_000;

/**
 * Creates a supervisor with the configured number of workers, and takes the port for them.
 * @throws Node's error when another process uses the port
 */
export async function createSupervisor(config: AppConfig, welcome: (text: string) => void): Promise<Supervisor> {
  const giveBackPort = await takePort(config.server.port, config.server.host);
  const logger = createLogger(config.log.level);
  const storage = new MemoryStorage(() => performance.now());
  const supervisor = new Supervisor({
    count: config.workers.count,
    fork: (number) => forkWorker(WORKER, number),
    countHit: ({ key, windowMs, limit, name, hits }) =>
      Promise.resolve(storage.increment(key, windowMs, limit, 0, name, hits)),
    allReady: welcome,
    stopWithinMs: config.server.drainTimeoutMs + CLOSING_MS,
    // The workers listen until they end, so the next process that takes the port has to wait for them.
    stopping: () => void giveBackPort(),
    killed: (worker, why) =>
      logger.error(
        { context: 'workers', worker },
        why === 'silent'
          ? 'A worker has not answered for 30 seconds; it is being killed'
          : 'A worker has not shut down in time; it is being killed',
      ),
    ended: (worker, how, pauseMs) =>
      logger.error({ context: 'workers', worker, pauseMs }, `A worker has ended (${how}); it is being restarted`),
    nowMs: () => performance.now(),
    later: (work, ms) => {
      const timer = setTimeout(work, ms);
      return () => clearTimeout(timer);
    },
  });
  // A second signal, or an error, ends this process although workers still run.
  process.once('exit', () => supervisor.killUnresponsive());
  return supervisor;
}
