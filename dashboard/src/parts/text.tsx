/** Texts written by callers: their direction is isolated, and invisible characters are shown. */
import { Fragment, type ReactNode } from 'react';
import { visible, visiblePath } from './visible.ts';

export { visible, visiblePath };

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
