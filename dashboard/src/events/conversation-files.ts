/** The files of a conversation: their kind, their size, and whether the detectors read them. */
import type { CallEvent } from '../api/types.ts';
import { fileSize } from '../parts/numbers.ts';
import { isFields, memberOf, type Fields } from './conversation-fields.ts';

export interface FilePart {
  readonly kind: 'file';
  /** `image`, `document` and the like; the content type if it says more. */
  readonly name: string;
  readonly path: string;
  /** An estimate from the length of the stored data; undefined: the call has only an address or an id of the file. */
  readonly bytes: number | undefined;
}

const FILE = /^(?:input_|output_)?(image|audio|video|document|file)(?:_url)?$/;
/** Members of a part that contain the file or its address, directly or in one of `HOLDERS`. */
const CONTENTS = ['data', 'file_data', 'url', 'image_url', 'video_url', 'audio_url', 'file_url'];
const HOLDERS = ['source', 'image_url', 'video_url', 'audio_url', 'input_audio', 'audio', 'file'];

/** Members of a part of Bedrock that contain a file. */
const OF_BEDROCK = ['image', 'document', 'video', 'audio'];

/** A file in the format of OpenAI, Anthropic, Gemini or Bedrock; undefined: the part is not a file. */
export function fileOf(part: Fields, path: string): FilePart | undefined {
  const gemini = memberOf(part, ['inlineData', 'inline_data', 'fileData', 'file_data']);
  if (isFields(gemini?.value)) {
    const type = memberOf(gemini.value, ['mimeType', 'mime_type'])?.value;
    return { kind: 'file', name: kindOfType(type), path, bytes: bytesOf(gemini.value['data']) };
  }
  const bedrock = memberOf(part, OF_BEDROCK);
  const source = isFields(bedrock?.value) ? bedrock.value['source'] : undefined;
  if (bedrock !== undefined && isFields(source))
    return { kind: 'file', name: bedrock.name, path, bytes: bytesOf(source['bytes']) };
  const name = FILE.exec(String(part['type'] ?? ''))?.[1];
  if (name === undefined) return undefined;
  const holders = [part, ...HOLDERS.map((each) => part[each]).filter(isFields)];
  const contents = holders.flatMap((each) => CONTENTS.map((member) => each[member]));
  const sizes = contents.map(bytesOf);
  return { kind: 'file', name, path, bytes: sizes.find((size) => size !== undefined) };
}

const MEDIA = /^(?:image|audio|video)\b/;
const kindOfType = (type: unknown): string =>
  typeof type !== 'string' ? 'file' : (MEDIA.exec(type.toLowerCase())?.[0] ?? type);

/** The size of data in base64, of which the log may only have a note with its length; undefined: it is an address, or no text. */
function bytesOf(content: unknown): number | undefined {
  if (typeof content !== 'string' || /^(?!data:)[a-z][a-z0-9+.-]*:/i.test(content)) return undefined;
  const [, noted] = /^\[(?:BINARY|FILE) (\d+)\]$/.exec(content) ?? [];
  const head = content.startsWith('data:') ? content.indexOf(',') + 1 : 0;
  return Math.floor((3 * (noted === undefined ? content.length - head : Number(noted))) / 4);
}

interface Place {
  readonly path: string;
  readonly bytes: number;
}

/** The parts of an event that no detector has read, as the service found them by their bytes. */
export interface Contents {
  readonly unread: readonly Place[];
  /** Nothing was recorded about the event, so that it is unknown what was read. */
  readonly isUnknown: boolean;
}

/** Images, audio and video are recognised, but speech and writing in them is not read. */
export function contentsOf({ facts, unread }: Pick<CallEvent, 'facts' | 'unread'>): Contents {
  const stages = facts?.['stages'];
  if (!Array.isArray(stages)) return { unread, isUnknown: true };
  const media = stages.flatMap((stage: unknown): readonly Place[] => {
    const contents = isFields(stage) ? stage['contents'] : undefined;
    const listed = isFields(contents) ? contents['media'] : undefined;
    return Array.isArray(listed) ? (listed as readonly Place[]) : [];
  });
  return { unread: [...media, ...unread], isUnknown: false };
}

/** Separates the path of a document from a place in it. */
const WITHIN = ' > ';

/** A file in words, such as `image, 214 kB, not scanned`. */
export function fileWords({ name, path, bytes }: FilePart, { unread, isUnknown }: Contents): string {
  const places = unread.filter((place) => place.path === path || /^(?:[.[]| > )/.test(restOf(place.path, path)));
  const whole = places.find((place) => !place.path.includes(WITHIN));
  const size = whole?.bytes ?? bytes;
  const words = [name, size === undefined ? 'stored elsewhere' : fileSize(size)];
  if (size === undefined || whole !== undefined || MEDIA.test(name)) words.push('not scanned');
  else if (!isUnknown) words.push(places.length > 0 ? 'partly scanned' : 'scanned');
  return words.join(', ');
}

/** The path of a place within a part; empty if it is elsewhere. */
const restOf = (place: string, part: string): string => (place.startsWith(part) ? place.slice(part.length) : '');
