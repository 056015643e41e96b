/** Texts written by callers: their direction is isolated, and invisible characters are shown. */
import { Fragment, type ReactNode } from 'react';

// Bidirectional overrides, zero-width signs and control characters could make a text look like another one.
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

function shown(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

// Scripts in which invisible joiners connect or separate letters.
const LETTER =
  '[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}]';
const JOINED = new RegExp(
  `(?<=${LETTER})[\\u200c\\u200d](?=${LETTER})|(?<=[\\p{Extended_Pictographic}\\ufe0f\\u{1f3fb}-\\u{1f3ff}])\\u200d(?=\\p{Extended_Pictographic})`,
  'gu',
);

/** Makes invisible characters visible, except joiners that belong to the spelling of a word or an emoji. */
export function visible(text: string): string {
  if (!/[\u200c\u200d]/.test(text)) return text.replace(HIDDEN, shown);
  const kept = new Set([...text.matchAll(JOINED)].map(({ index }) => index));
  return text.replace(HIDDEN, (sign, at: number) => (kept.has(at) ? sign : shown(sign)));
}

/** A file path on one line: anyone who may deploy chooses the paths in a bundle. */
export function visiblePath(path: string): string {
  return visible(path.replace(/[\t\n\r]/g, shown));
}

interface FilePathProps {
  readonly path: string;
  readonly line?: number | undefined;
}

/** Folders are shown before their files, even if names are written from right to left. */
export function FilePath({ path, line }: FilePathProps): ReactNode {
  return (
    <bdi dir="ltr" className="path">
      {path.split('/').map((name, index) => (
        <Fragment key={index}>
          {index === 0 ? '' : '/'}
          <bdi>{visiblePath(name)}</bdi>
        </Fragment>
      ))}
      {line === undefined ? '' : `:${line}`}
    </bdi>
  );
}

/** A text from outside, such as a name, a message or a metadata value. */
export function UserText({ text, cut = false }: { readonly text: string; readonly cut?: boolean }): ReactNode {
  return (
    <bdi dir="auto" className={cut ? 'cut' : undefined} title={cut ? visible(text) : undefined}>
      {visible(text)}
    </bdi>
  );
}
