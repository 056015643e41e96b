import type { CallContents, DecodedCall, JsonDocument, Segment } from '../core/index.js';
import { otherReadings } from './other-readings.js';
import { readContent } from './read-content.js';

type Contents = Omit<CallContents, 'governed'>;

/** What some bytes gave beside texts that can be changed in place. */
export interface ReadBeside extends Contents {
  /** Texts that are judged, and cannot be changed where they stand. */
  readonly texts: readonly Segment[];
}

export const NOTHING_BESIDE: ReadBeside = { texts: [], unread: [], media: [] };

export function joinBeside(all: readonly ReadBeside[]): ReadBeside {
  return {
    texts: all.flatMap(({ texts }) => texts),
    unread: all.flatMap(({ unread }) => unread),
    media: all.flatMap(({ media }) => media),
  };
}

/** A text that is judged although it cannot be changed. */
export function fixedText(path: string, role: Segment['role'], text: string, key?: string): Segment {
  return { path, role, text, ref: -1, fixed: true, ...(key === undefined ? {} : { key }) };
}

/** What stands in base64 in a call and is no text by itself: pictures, recordings, files. */
export function embeddedContents(doc: JsonDocument, call: DecodedCall): ReadBeside {
  return joinBeside(
    (call.embedded ?? []).map(({ path, role, ref, start }) => {
      const bytes = Buffer.from(doc.node(ref).text.slice(start), 'base64');
      const content = readContent(bytes);
      const size = { path, bytes: bytes.length };
      switch (content.kind) {
        case 'media':
          return { ...NOTHING_BESIDE, media: [{ ...size, type: content.type }] };
        case 'unread':
          return {
            ...NOTHING_BESIDE,
            texts: content.texts.map((text) => fixedText(path, role, text)),
            unread: [{ ...size, why: content.why }],
          };
        case 'text':
          return {
            ...NOTHING_BESIDE,
            texts: [content.text, ...otherReadings(content.text), ...(content.others ?? [])].map((text) =>
              fixedText(path, role, text),
            ),
            unread: content.why === undefined ? [] : [{ ...size, why: content.why }],
          };
      }
    }),
  );
}

/** The call with what was read beside its own texts. @param governed it goes where prompts are read from */
export function withBeside(call: DecodedCall, beside: ReadBeside, governed: boolean): DecodedCall {
  const { texts, unread, media } = beside;
  const { embedded: _read, ...rest } = call;
  return {
    ...rest,
    ...(texts.length === 0 ? {} : { segments: [...call.segments, ...texts] }),
    ...(unread.length === 0 && media.length === 0 ? {} : { contents: { governed, unread, media } }),
  };
}
