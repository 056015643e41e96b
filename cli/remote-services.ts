import type { AskRemote, BoundDetector } from '../src/core/index.js';
import { usageError } from './exit-code.js';
import type { Io } from './io.js';

/** Calls the services of remote detectors like the server does. */
export interface RemoteServices {
  /** Calls a service; absent if no detector is remote. */
  readonly ask?: AskRemote;
  close(): Promise<void>;
}

/**
 * Creates the client for the services of these detectors, at the addresses of `WEIR_REMOTE_DETECTORS`.
 *
 * @throws CliError exit 2 naming a service without an address in the settings
 */
export async function remoteServices(detectors: readonly BoundDetector[], io: Io): Promise<RemoteServices> {
  const remote = detectors.filter((detector) => detector.remote !== undefined);
  if (remote.length === 0) return { close: () => Promise.resolve() };
  const { serverConfig } = await import('./server/with-database.js');
  const services = (await serverConfig(io)).remoteDetectors;
  for (const { binding, remote: bound } of remote) {
    if (bound === undefined) continue;
    if (services.some(({ name }) => name === bound.service)) continue;
    throw usageError(
      `detector "${binding.key}" needs the service "${bound.service}": set ` +
        `WEIR_REMOTE_DETECTORS=${bound.service}=http://…, or exclude the detector with --detectors`,
    );
  }
  const { RemoteScanner } = await import('../src/judgement/index.js');
  const scanner = new RemoteScanner({ services, nowMs: () => io.nowMs(), random: Math.random });
  return {
    ask: (bound, segments, timeoutMs) => scanner.scan(bound, segments, timeoutMs),
    close: () => scanner.onApplicationShutdown(),
  };
}
