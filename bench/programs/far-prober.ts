import { serveFarAway } from '../far-away.js';
import { probe, type ProberData, type ProbeResult } from '../probes.js';

/** Asks as `probe` does, but stands back behind what is measured: a client whose own times nobody looks at. */
serveFarAway(async ({ probes, seconds }: ProberData): Promise<readonly ProbeResult[]> => [
  ...(await probe(probes, seconds)).values(),
]);
