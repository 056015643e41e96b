/** Texts that strangers wrote: their direction is their own, and what is invisible is shown. */
import type { ReactNode } from 'react';

// Bidirectional overrides, zero-width signs and control characters could make a text look like another one.
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

function shown(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

export function visible(text: string): string {
  return text.replace(HIDDEN, shown);
}

/** A name, a message, a value of metadata. */
export function Foreign({ text, cut = false }: { readonly text: string; readonly cut?: boolean }): ReactNode {
  return (
    <bdi dir="auto" className={cut ? 'cut' : undefined} title={cut ? visible(text) : undefined}>
      {visible(text)}
    </bdi>
  );
}
