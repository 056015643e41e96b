import { parseJson, type JsonDocument } from '../core/index.js';

/** A request's body that is text, but no JSON. */
export interface TextBody {
  readonly kind: 'text' | 'form';
  /** As the client sent it, without content coding and byte order mark. */
  readonly original: string;
  /** Its texts. */
  readonly doc: JsonDocument;
}

const FORM = /^application\/x-www-form-urlencoded\b/i;
const TEXT = /^text\/|[/+]xml\b|ndjson|jsonl|json-seq|javascript|yaml/i;

/**
 * A body that is no JSON as JSON that holds its texts, so that they are judged, redacted and stored like any other: a
 * text as one string, a form as the list of its decoded names and values in turn.
 *
 * @returns undefined for a content type that promises no text
 */
export function textsOfBody(original: string, contentType: string | undefined): TextBody | undefined {
  const kind = FORM.test(contentType ?? '') ? 'form' : TEXT.test(contentType ?? '') ? 'text' : undefined;
  if (kind === undefined) return undefined;
  const texts = kind === 'text' ? original : formParts(original).map((part) => decodedPart(part.text));
  return { kind, original, doc: parseJson(JSON.stringify(texts)) };
}

/**
 * The body with the changes that were made to its texts.
 *
 * @param changed the JSON of `textsOfBody`, edited
 */
export function bodyWithTexts({ kind, original }: TextBody, changed: string): string {
  switch (kind) {
    case 'text':
      return JSON.parse(changed) as string;
    case 'form':
      return changedForm(original, JSON.parse(changed) as string[]);
  }
}

/** Parts that were not changed stay as they were written. */
function changedForm(original: string, texts: readonly string[]): string {
  return formParts(original)
    .map((part, index) => {
      const text = texts[index] ?? '';
      const written = text === decodedPart(part.text) ? part.text : encodeURIComponent(text).replaceAll('%20', '+');
      return written + part.separator;
    })
    .join('');
}

interface FormPart {
  /** A name or a value, still encoded. */
  readonly text: string;
  /** What stands behind it. */
  readonly separator: '=' | '&' | '';
}

/** The names and values of a form (WHATWG URL, section 5.1). */
function formParts(text: string): FormPart[] {
  const pairs = text.split('&');
  return pairs.flatMap((pair, index) => {
    const separator = index === pairs.length - 1 ? '' : '&';
    const equals = pair.indexOf('=');
    if (equals < 0) return [{ text: pair, separator }];
    return [
      { text: pair.slice(0, equals), separator: '=' as const },
      { text: pair.slice(equals + 1), separator },
    ];
  });
}

/** What cannot be decoded is read as it stands. */
function decodedPart(part: string): string {
  const spaced = part.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
