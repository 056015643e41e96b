/** The end of a call, as it is reported to Weir. */
export interface Report {
  readonly callId: string;
  /** The provider's status; undefined when it never answered. */
  readonly status: number | undefined;
  readonly contentType: string | undefined;
  readonly ended: 'complete' | 'aborted' | 'error' | 'unsent';
  readonly error?: 'upstream_unreachable' | 'upstream_timeout';
  readonly latencyMs: number | undefined;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The line of JSON before the bytes of an answer. */
export function headOf({ callId, status, contentType, ended, error, latencyMs, body }: Report): Uint8Array {
  return new TextEncoder().encode(
    `${JSON.stringify({
      call: callId,
      ...(status === undefined ? {} : { status }),
      ended,
      ...(contentType === undefined ? {} : { content_type: contentType }),
      ...(error === undefined ? {} : { error }),
      ...(latencyMs === undefined ? {} : { latency_ms: latencyMs }),
      length: body.length,
    })}\n`,
  );
}

/** The report with the first half of its answer, as of an answer whose client stopped reading there. */
export function shortened(report: Report): Report {
  const { body, ended } = report;
  return {
    ...report,
    ended: ended === 'complete' ? 'aborted' : ended,
    body: body.slice(0, Math.floor(body.length / 2)),
  };
}
