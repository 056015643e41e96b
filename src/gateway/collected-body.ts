import type { Readable } from 'node:stream';
import { WeirError } from '../http/index.js';

/** What has come of a body so far, up to a limit. */
export class CollectedBody {
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private full = false;

  constructor(private readonly limitBytes: number) {}

  /** @returns false when the chunk did not fit any more; then nothing more is kept */
  add(chunk: Buffer): boolean {
    this.full ||= this.size + chunk.length > this.limitBytes;
    if (this.full) return false;
    this.chunks.push(chunk);
    this.size += chunk.length;
    return true;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks, this.size);
  }

  /**
   * Reads a body to its end.
   * @throws WeirError for a body over the limit; whatever the body fails with
   */
  async readAll(body: Readable): Promise<Buffer> {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (this.add(chunk)) continue;
      throw new WeirError('upstream_unreachable', { message: "The provider's answer is larger than can be judged" });
    }
    return this.bytes;
  }
}
