/** Which files of src did something: counted by V8 itself, function by function. */
import { Session, type Profiler } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './walks.js';

/** Counts calls of functions while something goes on. */
export class Executed {
  private constructor(private readonly session: Session) {}

  static async start(): Promise<Executed> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // What was called before does not count.
    await session.post('Profiler.takePreciseCoverage');
    return new Executed(session);
  }

  /** Files of src, relative to the repository, of which a function was called since the start; nothing more is counted. */
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
