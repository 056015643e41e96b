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

// Scripts whose letters are joined or kept apart by an invisible sign, and emoji that are put together of several.
const LETTER =
  '[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}]';
const JOINED = new RegExp(
  `(?<=${LETTER})[\\u200c\\u200d](?=${LETTER})|(?<=[\\p{Extended_Pictographic}\\ufe0f\\u{1f3fb}-\\u{1f3ff}])\\u200d(?=\\p{Extended_Pictographic})`,
  'gu',
);

/** Shows what could not be seen; a joiner that belongs to how a word or an emoji is written stays what it is. */
export function visible(text: string): string {
  if (!/[\u200c\u200d]/.test(text)) return text.replace(HIDDEN, shown);
  const kept = new Set([...text.matchAll(JOINED)].map(({ index }) => index));
  return text.replace(HIDDEN, (sign, at: number) => (kept.has(at) ? sign : shown(sign)));
}

/** The name of a file in one line: a policy bundle may come from anybody who may deploy. */
export function visiblePath(path: string): string {
  return visible(path.replace(/[\t\n\r]/g, shown));
}

interface FilePathProps {
  readonly path: string;
  readonly line?: number | undefined;
}

/** Folders stand in front of what is in them, whatever script names are written in. */
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

/** A name, a message, a value of metadata. */
export function UserText({ text, cut = false }: { readonly text: string; readonly cut?: boolean }): ReactNode {
  return (
    <bdi dir="auto" className={cut ? 'cut' : undefined} title={cut ? visible(text) : undefined}>
      {visible(text)}
    </bdi>
  );
}
