import type { Io } from '../io.js';
import type { Export } from './export-client.js';

/** The progress of an export, on a line of stderr that is overwritten; silent in pipes and under `--quiet`. */
export class ExportProgress {
  private isShown = false;
  private readonly isOn: boolean;

  constructor(
    private readonly io: Io,
    quiet: boolean,
  ) {
    this.isOn = io.stderr.isTTY === true && !quiet;
  }

  written({ state, rows, rows_expected: expected }: Export): void {
    const of =
      expected === null || expected === 0 ? '' : ` of ${expected.toLocaleString('en')} (${percent(rows, expected)})`;
    if (state === 'paused') return this.show('is paused; to continue it: weir exports resume');
    this.show(state === 'queued' ? 'is queued' : `${rows.toLocaleString('en')}${of} events written`);
  }

  fetched(bytes: number, { bytes: all }: Export): void {
    this.show(`${(bytes / 1e6).toFixed(1)} of ${(all / 1e6).toFixed(1)} MB fetched (${percent(bytes, all)})`);
  }

  /** Clears the line. */
  done(): void {
    if (this.isShown) this.io.stderr.write('\r\u001b[K');
  }

  private show(text: string): void {
    if (!this.isOn) return;
    this.isShown = true;
    this.io.stderr.write(`\r\u001b[K${text}`);
  }
}

function percent(part: number, whole: number): string {
  return `${Math.floor((part / whole) * 100)} %`;
}
