import type { DocumentReader, ReadDocument } from '../documents/index.js';
import {
  documentText,
  joinBeside,
  NOTHING_BESIDE,
  type FileToRead,
  type EmbeddedReading,
} from './embedded-contents.js';

/**
 * Reads the files of a request like `withFilesRead`, unless too many documents wait already.
 * @throws WeirError `overloaded` while too many documents wait
 */
export async function withRequestFilesRead(
  beside: EmbeddedReading,
  reader: DocumentReader,
  asker: readonly string[],
): Promise<EmbeddedReading> {
  if (beside.files.length > 0) reader.requireRoom(asker);
  return withFilesRead(beside, reader, asker);
}

/**
 * Reads the files of a call and adds the texts of its documents. Until this function has run, documents count as unread. The files of
 * an answer wait however many documents wait before them: the provider has been called, so the call can no longer be refused.
 * Files beyond the limits of the call count as unread.
 * @param asker the owner of the call, such as account and key: owners take turns
 */
export async function withFilesRead(
  beside: EmbeddedReading,
  reader: DocumentReader,
  asker: readonly string[],
): Promise<EmbeddedReading> {
  if (beside.files.length === 0) return beside;
  const budget = reader.budget();
  const read: EmbeddedReading[] = [];
  // A few at a time, so that a call with many files takes up no more of the queue than one with a few.
  for (let at = 0; at < beside.files.length; at += reader.atOnce) {
    if (budget.isUsedUp) {
      read.push(beyondLimits(beside.files.slice(at)));
      break;
    }
    const next = beside.files.slice(at, at + reader.atOnce).map(async (file) => ({
      file,
      document: await reader.read(file.bytes, asker, budget),
    }));
    for (const { file, document } of await Promise.all(next)) {
      read.push(besideOf(file, budget.charge(document, file.bytes.length)));
    }
  }
  const settled = new Set(beside.files.map(({ until }) => until));
  const own = { ...beside, unread: beside.unread.filter((one) => !settled.has(one)), files: [] };
  return joinBeside([own, ...read]);
}

function beyondLimits(files: readonly FileToRead[]): EmbeddedReading {
  const unread = files.map(({ path, bytes }) => ({ path, why: 'limit' as const, bytes: bytes.length }));
  return { ...NOTHING_BESIDE, unread };
}

function besideOf({ path, role, text, isMedia }: FileToRead, { texts, media, unread }: ReadDocument): EmbeddedReading {
  const at = (place: string): string => (place === '' ? path : `${path} > ${place}`);
  return {
    ...NOTHING_BESIDE,
    texts: texts.map((one) => documentText(at(one.place), role, one.text, text)),
    media: media
      .filter(({ place }) => isMedia !== true || place !== '')
      .map(({ place, ...rest }) => ({ ...rest, path: at(place) })),
    unread: unread.map(({ place, ...rest }) => ({ ...rest, path: at(place) })),
  };
}
