import { pipeline, Readable, Transform } from 'node:stream';
import { TRANSIT_BYTES } from './stream-to-client.js';

/** Longer events are forwarded without being held. */
const LONGEST_EVENT_CHARACTERS = 1024 * 1024;
const EVENT_END = /\r\n\r\n|\n\n|\r\r/g;
const LONGEST_END = 4;
const USAGE_NULL = /,\s*"usage"\s*:\s*null/g;

/**
 * Removes the parts of an event stream that exist only because Weir asked for token counts: the last chunk, which has
 * no choices and only usage, and `"usage":null` in the others. All other bytes stay unchanged. Its input is the judged
 * stream that goes to the client.
 */
export class StreamUsageFilter {
  private held = '';

  /** The bytes that can be forwarded now. */
  push(chunk: Buffer): Buffer {
    const seen = this.held.length;
    // Latin-1 keeps every byte; the parts that are examined are ASCII in UTF-8 as well.
    this.held += chunk.toString('latin1');
    let out = '';
    let from = 0;
    EVENT_END.lastIndex = Math.max(0, seen - LONGEST_END);
    for (let match = EVENT_END.exec(this.held); match !== null; match = EVENT_END.exec(this.held)) {
      const end = match.index + match[0].length;
      out += withoutUsage(this.held.slice(from, end));
      from = end;
    }
    this.held = this.held.slice(from);
    if (this.held.length > LONGEST_EVENT_CHARACTERS) out += this.flush();
    return Buffer.from(out, 'latin1');
  }

  /** The remaining bytes at the end of the stream. */
  end(): Buffer {
    return Buffer.from(withoutUsage(this.flush()), 'latin1');
  }

  private flush(): string {
    const { held } = this;
    this.held = '';
    return held;
  }
}

/** Filters a stream's body, complete or in chunks, with `StreamUsageFilter`. Any other payload is returned unchanged. */
export function withoutStreamUsage(payload: unknown): unknown {
  const filter = new StreamUsageFilter();
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
    return Buffer.concat([filter.push(Buffer.from(payload)), filter.end()]);
  }
  if (!(payload instanceof Readable)) return payload;
  const transform = new Transform({
    highWaterMark: TRANSIT_BYTES,
    transform: (chunk: Buffer, _encoding, done) => done(null, filter.push(chunk)),
    flush: (done) => done(null, filter.end()),
  });
  // The reader of the result gets its errors; destroying it also ends the body.
  return pipeline(payload, transform, () => undefined);
}

/** One event, including its end, as it is forwarded. */
function withoutUsage(event: string): string {
  if (!event.includes('"usage"')) return event;
  const data = event
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length))
    .join('\n');
  const chunk = parsed(data);
  if (chunk === undefined) return event;
  if (isUsageOnly(chunk)) return '';
  const atRoot = Object.hasOwn(chunk, 'usage') && chunk['usage'] === null;
  return atRoot && event.match(USAGE_NULL)?.length === 1 ? event.replace(USAGE_NULL, '') : event;
}

function isUsageOnly(chunk: Record<string, unknown>): boolean {
  const { choices, usage } = chunk;
  return Array.isArray(choices) && choices.length === 0 && typeof usage === 'object' && usage !== null;
}

function parsed(data: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
