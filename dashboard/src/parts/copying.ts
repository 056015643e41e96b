/** Copies texts to the clipboard and shows for a moment whether that worked, next to the button and to screen readers. */
import { useEffect, useState, useSyncExternalStore } from 'react';

const SHOWN_MS = 2_000;
export const COPY_WORDS = { copied: 'Copied', refused: 'Could not copy' } as const;
type Result = keyof typeof COPY_WORDS;

const listeners = new Set<() => void>();
let announced = '';
let timer: number | undefined;

function announce(words: string): void {
  announced = words;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The text for screen readers. It is emptied after a moment, because the same text is not read twice in a row. */
export const useAnnouncement = (): string => useSyncExternalStore(subscribe, () => announced);

export async function copyText(text: string): Promise<Result> {
  const result = await written(text);
  announce(COPY_WORDS[result]);
  window.clearTimeout(timer);
  timer = window.setTimeout(() => announce(''), SHOWN_MS);
  return result;
}

/** A browser may refuse; on an address without encryption it offers no clipboard at all. */
async function written(text: string): Promise<Result> {
  try {
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return 'refused';
  }
}

interface Copying {
  /** Null before the text is copied, and again a moment later; also if the text has changed since. */
  readonly result: Result | null;
  readonly copy: () => Promise<Result>;
}

export function useCopying(text: string): Copying {
  const [last, setLast] = useState<{ readonly of: string; readonly result: Result } | null>(null);
  useEffect(() => {
    if (last === null) return undefined;
    const shown = window.setTimeout(() => setLast(null), SHOWN_MS);
    return () => window.clearTimeout(shown);
  }, [last]);
  const copy = async (): Promise<Result> => {
    const result = await copyText(text);
    setLast({ of: text, result });
    return result;
  };
  return { result: last?.of === text ? last.result : null, copy };
}
