import {
  embeddedBytes,
  embeddedContents,
  isAlsoDocument,
  joinBeside,
  NOTHING_BESIDE,
  readContent,
  readingEachEmbedded,
  type EmbeddedReading,
} from '../contents/index.js';
import {
  decodeAnswer,
  filtered,
  mapped,
  parseJson,
  type DecodedCall,
  type Segment,
  type Steps,
  type StreamedFile,
} from '../core/index.js';
import { documentFormatsOf } from '../documents/index.js';

const DATA_URL = /^data:[^,]{0,200},/;
/** One character that is not base64; a pattern that repeats over megabytes of base64 would exceed the stack. */
const NOT_BASE64 = /[^A-Za-z0-9+/_=\s-]/;
/** The minimum length of base64; shorter strings are words and ids. */
const SHORTEST_BASE64 = 64;

/** The number of first bytes by which the format of a file in pieces is recognised. */
const HEAD_BYTES = 2_048;

/** One piece of base64: a whole file, or a part of a file that continues under the same path in the next event. */
interface Piece {
  readonly path: string;
  readonly role: Segment['role'];
  readonly bytes: Buffer;
  /** The content of the piece, read separately from the others. */
  readonly beside: EmbeddedReading;
}

/**
 * The base64 content of a stream's events, and the files that a client may assemble from the pieces of several events. Bytes
 * in no known format, such as audio without a header, are counted by their path and not opened.
 */
export function* readingFilesOfStream(
  files: readonly StreamedFile[],
  segments: readonly Segment[],
): Steps<EmbeddedReading> {
  const byPath = Map.groupBy(yield* piecesOfAll(files), ({ path }) => path);
  const textsOfFiles = new Set(files.flatMap((file) => file.segments.map(({ text }) => text)));
  const joined = joinedTexts(yield* filtered(segments, ({ text }) => !textsOfFiles.has(text)));
  const each = yield* mapped([...byPath.values()], joinedPieces);
  return withoutPieces(joinBeside([...each, joined]));
}

/** Detects files that have to be opened before they may be forwarded. */
export class FileWatch {
  private readonly heads = new Map<string, Buffer>();

  /** Whether such a file has begun in these events. */
  *seeing(files: readonly StreamedFile[]): Steps<boolean> {
    for (const piece of yield* piecesOfAll(files)) {
      if (this.begins(piece)) return true;
      yield;
    }
    return false;
  }

  private begins({ path, bytes, beside }: Piece): boolean {
    const { files, unread, texts } = withoutPieces(beside);
    if (files.length > 0 || texts.length > 0 || unread.some(({ why }) => why !== 'binary')) return true;
    const known = this.heads.get(path) ?? Buffer.alloc(0);
    if (known.length >= HEAD_BYTES) return false;
    const head = Buffer.concat([known, bytes.subarray(0, HEAD_BYTES)]);
    this.heads.set(path, head);
    return isDocument(head);
  }
}

function* piecesOfAll(files: readonly StreamedFile[]): Steps<Piece[]> {
  const pieces: Piece[] = [];
  for (const { doc, segments, embedded } of files) {
    const read = yield* readingEachEmbedded(doc, { segments, embedded });
    for (const [index, one] of embedded.entries()) {
      const { path, role } = one;
      pieces.push({ path, role, bytes: embeddedBytes(doc, one), beside: read[index]! });
    }
    yield;
  }
  return pieces;
}

function isDocument(bytes: Buffer): boolean {
  return readContent(bytes).kind === 'media' ? isAlsoDocument(bytes) : documentFormatsOf(bytes).length > 0;
}

/** The content of the pieces under one path: several files, or one file in pieces, of which only the first has a file header. */
function joinedPieces(pieces: readonly Piece[]): EmbeddedReading {
  const each = joinBeside(pieces.map(({ beside }) => beside));
  const [first, ...others] = pieces;
  if (first === undefined || others.length === 0 || others.some(({ bytes }) => isWhole(bytes))) return each;
  const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
  if (!isDocument(bytes)) return each;
  const until = { path: first.path, why: 'document' as const, bytes: bytes.length };
  return {
    texts: each.texts,
    media: [],
    unread: [until],
    files: [{ path: first.path, role: first.role, bytes, until }],
  };
}

function isWhole(bytes: Buffer): boolean {
  return readContent(bytes).kind === 'media' || documentFormatsOf(bytes).length > 0;
}

/** Joins pieces of unknown format into one entry per path, with the bytes of all: audio arrives in hundreds of such pieces. */
function withoutPieces({ texts, media, unread, files }: EmbeddedReading): EmbeddedReading {
  const isPiece = (until: EmbeddedReading['unread'][number] | undefined): boolean => until?.why === 'binary';
  const byPath = new Map<string, number>();
  for (const one of unread) if (isPiece(one)) byPath.set(one.path, (byPath.get(one.path) ?? 0) + one.bytes);
  return {
    texts,
    media,
    unread: [
      ...unread.filter((one) => !isPiece(one)),
      ...[...byPath].map(([path, bytes]) => ({ path, why: 'binary' as const, bytes })),
    ],
    files: files.filter(({ until }) => !isPiece(until)),
  };
}

/** Whether a text is base64 from end to end, or a data URL with it. */
function looksLikeBase64(text: string): boolean {
  const from = DATA_URL.exec(text)?.[0].length ?? 0;
  return text.length - from >= SHORTEST_BASE64 && !NOT_BASE64.test(from === 0 ? text : text.slice(from));
}

/** The content of texts that are base64 from end to end. */
function joinedTexts(segments: readonly Segment[]): EmbeddedReading {
  const long = segments.filter(({ text }) => looksLikeBase64(text));
  if (long.length === 0) return NOTHING_BESIDE;
  const doc = parseJson(JSON.stringify(long.map(({ text }) => text)));
  const call: DecodedCall = decodeAnswer('generic', doc);
  const named = (call.embedded ?? []).map((one) => {
    const place = /^\$?\[(\d+)\]/.exec(one.path)?.[1];
    const own = place === undefined ? undefined : long[Number(place)];
    return own === undefined ? one : { ...one, path: own.path, role: own.role };
  });
  return embeddedContents(doc, { segments: call.segments, embedded: named });
}
