/** Decides for each trace that begins in the service whether its spans are sent. */
export type TraceSampler = () => boolean;

/** Traces per second that are sent in full, so that a quiet service, or a first call, is always seen. */
export const SENT_EACH_SECOND = 5;
/** Share of the traces beyond these. At 400 calls a second, some 3 % of all traces are sent. */
export const SHARE_BEYOND = 0.02;
const SECOND_MS = 1_000;

/** Sends this share of all traces, 0 to 1, as OpenTelemetry's `traceidratio` sampler does. */
export function sampleShare(share: number, random = Math.random): TraceSampler {
  return () => share >= 1 || random() < share;
}

/**
 * Sends the first traces of each second, and a small share of the others: the cost of tracing does not grow with the load. AWS X-Ray
 * calls this form a reservoir with a fixed rate (docs.aws.amazon.com/xray, "Configuring sampling rules").
 *
 * @param nowMs a monotonic clock
 */
export function sampleReservoir(nowMs: () => number = () => performance.now(), random = Math.random): TraceSampler {
  let second = -1;
  let sent = 0;
  return () => {
    const now = Math.floor(nowMs() / SECOND_MS);
    if (now !== second) {
      second = now;
      sent = 0;
    }
    sent += 1;
    return sent <= SENT_EACH_SECOND || random() < SHARE_BEYOND;
  };
}
