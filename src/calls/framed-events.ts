import { EventFrames, NoFrames, utf8Bytes, writeFrame, writeHeaders, type EventFrame } from '../contents/index.js';
import { isPlainField, parseSse, SseBlocks } from '../core/index.js';
import { packedEvent } from './packed-events.js';
import { UnreadableBody } from './unreadable-body.js';

/** Headers that name the type of an event. */
const TYPES: ReadonlySet<string> = new Set([':event-type', ':exception-type', ':message-type', ':error-code']);
/** The message of an error whose frame has no payload. */
const MESSAGE = ':error-message';
const CONTENT_TYPE = ':content-type';
/** A media type without parameters. */
const MEDIA_TYPE = /^[a-z]{1,16}\/[a-z]{1,16}(?:[.+-][a-z]{1,16}){0,4}(?:-\d\.\d)?$/i;
/** The only parameter that a media type may have: any other one may be a text, which no rule would read. */
const CHARSET = /;\s{0,8}charset=(?:utf-?8|us-ascii|"utf-8")$/i;
const KNOWN_HEADERS: ReadonlySet<string> = new Set([...TYPES, CONTENT_TYPE, MESSAGE]);
const LINE_END = /\r\n|[\r\n]/;
/** The comment that represents an unreadable frame, so that the frame keeps its position among the others. */
const UNREAD_LINE = ':';

/** The content of a frame. */
interface FrameContent {
  readonly frame: EventFrame;
  /** Undefined for a frame without a payload, and for one that cannot be read. */
  readonly data?: string;
  /** Set for a frame with content that cannot be read. */
  readonly isUnread?: true;
  /** For the message of an error, which is a header: the headers with this message after a change. */
  readonly headers?: (changed: string) => Buffer;
  /** For a model's own event, which is in the frame in base64: the payload with this event after a change. */
  readonly payload?: (changed: string) => Buffer;
}

/**
 * Converts events in binary frames to the text of an event stream, and back: that text is judged and masked, and a frame
 * without changes is forwarded with its original bytes.
 */
export class FramedEvents {
  /** The number of bytes in frames that cannot be read. */
  unreadBytes = 0;
  private readonly frames = new EventFrames();
  private readonly waiting = new Map<string, FrameContent>();
  private readonly blocks = new SseBlocks();
  private count = 0;

  /** @param onUnread called for each frame that cannot be read; it may throw */
  constructor(private readonly onUnread: () => void = () => undefined) {}

  /** Whether the last frame is incomplete. */
  get isInFrame(): boolean {
    return this.frames.restBytes > 0;
  }

  /** The events that these bytes complete, as text. @throws UnreadableBody, and any error of `onUnread` */
  push(bytes: Buffer): string {
    return this.framesOf(bytes)
      .map((frame) => this.textOf(frame))
      .join('');
  }

  /** The frames of events that `push` returned, with the changes made in their data. */
  bytes(text: string): Buffer {
    return Buffer.concat(this.blocks.push(text).map((block) => this.framed(block)));
  }

  private framesOf(bytes: Buffer): EventFrame[] {
    try {
      return this.frames.push(bytes);
    } catch (error) {
      throw error instanceof NoFrames ? new UnreadableBody(error.message) : error;
    }
  }

  private textOf(frame: EventFrame): string {
    const content = contentOf(frame);
    const id = String(this.count++);
    this.waiting.set(id, content);
    if (content.isUnread === true) {
      this.unreadBytes += frame.bytes.length;
      this.onUnread();
    }
    const name = frame.texts?.get(':event-type') ?? frame.texts?.get(':exception-type');
    const event = name === undefined || content.isUnread === true ? '' : `event: ${name}\n`;
    const data = content.data?.split('\n').map((line) => `data: ${line}\n`) ?? [`${UNREAD_LINE}\n`];
    return `id: ${id}\n${event}${data.join('')}\n`;
  }

  private framed(block: string): Buffer {
    const id = /^id: (\d+)$/m.exec(block)?.[1] ?? '';
    const content = this.waiting.get(id);
    if (content === undefined) return Buffer.alloc(0);
    this.waiting.delete(id);
    const { frame, data, headers, payload = utf8Bytes } = content;
    const [event] = parseSse(block, false).events;
    if (data === undefined || event === undefined || event.data === data) return frame.bytes;
    if (headers !== undefined) return writeFrame(headers(event.data), frame.payload);
    return writeFrame(frame.headers, payload(event.data));
  }
}

/** The last frame of a refused stream: Amazon's clients raise their own exception for it. */
export function exceptionFrame(error: object): Buffer {
  const headers = writeHeaders({
    ':message-type': 'exception',
    ':exception-type': 'modelStreamErrorException',
    ':content-type': 'application/json',
  });
  return writeFrame(headers, Buffer.from(JSON.stringify(error)));
}

/** The text of the frames of a complete body; undefined for bytes that are not frames. */
export function framedText(body: Buffer): { readonly text: string; readonly events: FramedEvents } | undefined {
  const events = new FramedEvents();
  try {
    const text = events.push(body);
    return text === '' ? undefined : { text, events };
  } catch (error) {
    if (error instanceof UnreadableBody) return undefined;
    throw error;
  }
}

function contentOf(frame: EventFrame): FrameContent {
  const { payload, texts } = frame;
  const text = payload.toString('utf8');
  const isKnown = texts !== undefined && [...texts].every(isKnownHeader);
  if (isKnown && payload.length === 0) return { frame, ...messageIn(texts) };
  if (!isKnown || texts.has(MESSAGE) || !Buffer.from(text).equals(payload)) return { frame, isUnread: true };
  const packed = packedEvent(text);
  if (packed === 'unread') return { frame, isUnread: true };
  return packed === undefined ? { frame, data: inLines(text) } : { frame, ...packed, data: inLines(packed.data) };
}

/** Whether a header can be read. A type that is not a plain name may contain a text, which could not be masked in its place. */
function isKnownHeader([name, value]: readonly [string, string]): boolean {
  if (name === CONTENT_TYPE) return MEDIA_TYPE.test(value.replace(CHARSET, ''));
  return KNOWN_HEADERS.has(name) && (!TYPES.has(name) || isPlainField('event', value));
}

/** The message of an error without a payload, as the data of an event. */
function messageIn(texts: ReadonlyMap<string, string>): Pick<FrameContent, 'data' | 'headers'> {
  const message = texts.get(MESSAGE);
  if (message === undefined) return {};
  return {
    data: JSON.stringify({ message }),
    headers: (changed) => {
      const { message: left } = JSON.parse(changed) as { readonly message: string };
      return writeHeaders(Object.fromEntries([...texts, [MESSAGE, left]]));
    },
  };
}

/** The text with uniform line ends; in JSON, line ends occur only between tokens. */
function inLines(text: string): string {
  return text.split(LINE_END).join('\n');
}
