import { serveLowPriority } from '../low-priority.js';
import { probe, type ProberData, type ProbeResult } from '../probes.js';

/** Sends probes as `probe` does, but from a process with low priority, whose own times are not used. */
serveLowPriority(async ({ probes, seconds }: ProberData): Promise<readonly ProbeResult[]> => [
  ...(await probe(probes, seconds)).values(),
]);
