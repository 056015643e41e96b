import { hash } from 'node:crypto';

/**
 * A digest that is equal only for equal texts. UTF-8 is faster, but all lone surrogates become the same character, so texts with lone
 * surrogates are hashed in UTF-16.
 */
export function textDigest(text: string): string {
  return text.isWellFormed()
    ? hash('sha256', `8${text}`, 'base64')
    : hash('sha256', Buffer.from(`16${text}`, 'utf16le'), 'base64');
}
