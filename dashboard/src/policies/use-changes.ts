/** Moves through the changes of all files of a comparison, in the order in which they are shown. */
import { useRef, useState } from 'react';
import type { Changes } from '../parts/code.tsx';

interface Moving {
  /** The number of changes in the files drawn so far. */
  readonly total: number;
  /** The change that was moved to; null before the first move. */
  readonly at: number | null;
  readonly move: (step: 1 | -1) => void;
  /** Called by the editor of a file. */
  readonly drawn: (path: string, changes: Changes | null) => void;
}

export function useChanges(paths: readonly string[]): Moving {
  const files = useRef(new Map<string, Changes>());
  const [total, setTotal] = useState(0);
  const [at, setAt] = useState<number | null>(null);
  const inOrder = (): readonly { readonly file: Changes; readonly index: number }[] =>
    paths.flatMap((path) => {
      const file = files.current.get(path);
      return file === undefined ? [] : Array.from({ length: file.count }, (_, index) => ({ file, index }));
    });
  const move = (step: 1 | -1): void => {
    const all = inOrder();
    const next = placeAfter(at, step, all.length);
    const place = next === null ? undefined : all[next];
    if (place === undefined) return;
    for (const file of files.current.values()) if (file !== place.file) file.unmark();
    place.file.show(place.index);
    setAt(next);
  };
  const drawn = (path: string, changes: Changes | null): void => {
    if (changes === null) files.current.delete(path);
    else files.current.set(path, changes);
    setTotal([...files.current.values()].reduce((sum, { count }) => sum + count, 0));
    setAt(null);
  };
  return { total, at, move, drawn };
}

/** The place after a step; the first step leads to the first change, or back to the last. Null: there is none. */
function placeAfter(at: number | null, step: 1 | -1, length: number): number | null {
  if (length === 0) return null;
  if (at === null) return step === 1 ? 0 : length - 1;
  return Math.min(Math.max(0, at + step), length - 1);
}
