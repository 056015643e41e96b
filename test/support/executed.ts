/** Finds the files of src whose functions were called, by V8's precise coverage. */
import { Session, type Profiler } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './walks.js';

/** Counts function calls between `start` and `stop`. */
export class Executed {
  private constructor(private readonly session: Session) {}

  static async start(): Promise<Executed> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // Resets the counts, so that earlier calls are ignored.
    await session.post('Profiler.takePreciseCoverage');
    return new Executed(session);
  }

  /** Stops counting. Returns the files of src, relative to the repository, with a function that was called since the start. */
  async stop(): Promise<ReadonlySet<string>> {
    const { result } = await this.session.post('Profiler.takePreciseCoverage');
    await this.session.post('Profiler.stopPreciseCoverage');
    this.session.disconnect();
    return new Set(result.filter(wasCalled).map(fileOf).filter(isOfSrc));
  }
}

function wasCalled({ functions }: Profiler.ScriptCoverage): boolean {
  return functions.some(({ ranges }) => ranges.some(({ count }) => count > 0));
}

function fileOf({ url }: Profiler.ScriptCoverage): string {
  return relative(ROOT, url.startsWith('file:') ? fileURLToPath(url) : url);
}

function isOfSrc(file: string): boolean {
  return file.startsWith('src/');
}
