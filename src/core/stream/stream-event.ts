import type { SeenCall } from './stream-collector.js';
import type { EmbeddedBytes, Segment } from '../model/call.js';
import type { Scope } from '../providers/stream-family.js';
import { Channel, type HeldPiece } from './channels.js';
import { JsonDocument } from '../json/json-document.js';
import type { SseEvent } from './sse.js';

/** One parsed event of a stream. */
export interface StreamEvent {
  readonly event: SseEvent;
  /** Absent for data that is not JSON: then the data itself is the event's only text. */
  readonly doc?: JsonDocument;
  readonly segments: readonly Segment[];
  /** For each segment, its channel and the part of the channel that it forms. */
  readonly held: readonly HeldPiece[];
  /** The tool calls, or pieces of them, that the event shows for the first time. */
  readonly calls: readonly PlacedCall[];
  readonly scope: Scope;
  /** The base64 content of the event's strings. */
  readonly embedded: readonly EmbeddedBytes[];
  /**
   * An earlier event from which this one differs only in its text, so that its other content is already known. Such an event
   * ends no text.
   */
  readonly like?: StreamEvent;
}

/** The base64 content of one event. */
export interface StreamedFile {
  readonly doc: JsonDocument;
  readonly segments: readonly Segment[];
  readonly embedded: readonly EmbeddedBytes[];
}

/** A call as one event contains it, with the channels of its texts. */
export interface PlacedCall {
  readonly call: SeenCall;
  readonly scope: Scope;
  readonly channels: readonly Channel[];
  /** Index of the event. */
  readonly at: number;
}
