import { watch, type FSWatcher } from 'node:fs';

/** Runs a function after a short delay and can cancel it: combines the many events of one save into one reload. */
export type Schedule = (run: () => void) => { cancel(): void };

const GATHER_MS = 100;

/** Waits until a burst of file events has ended. Does not keep the process alive. */
export const gatherEvents: Schedule = (run) => {
  const timer = setTimeout(run, GATHER_MS).unref();
  return { cancel: () => clearTimeout(timer) };
};

/**
 * Watches folders for changes of any file in them. It watches folders, not files, because editors replace files; each folder
 * separately, because not every platform can watch a tree. It reports that something changed, but not what.
 */
export class FolderWatch {
  private readonly watchers = new Map<string, FSWatcher>();
  private pending: { cancel(): void } | undefined;

  constructor(
    private readonly onChange: () => void,
    private readonly schedule: Schedule,
  ) {}

  /** Watches exactly these folders from now on. A folder that does not exist is skipped. Returns whether any watched folder is new. */
  follow(folders: Iterable<string>): boolean {
    const wanted = new Set(folders);
    for (const [folder, watcher] of this.watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.watchers.delete(folder);
    }
    let isNew = false;
    for (const folder of wanted) {
      if (!this.watchers.has(folder) && this.open(folder)) isNew = true;
    }
    return isNew;
  }

  close(): void {
    this.pending?.cancel();
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private open(folder: string): boolean {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.changed());
      watcher.on('error', () => this.lose(folder));
      this.watchers.set(folder, watcher);
      return true;
    } catch {
      // The folder does not exist (yet): its parent is watched as well and reports when it appears.
      return false;
    }
  }

  private lose(folder: string): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
    this.changed();
  }

  private changed(): void {
    this.pending?.cancel();
    this.pending = this.schedule(() => this.onChange());
  }
}
