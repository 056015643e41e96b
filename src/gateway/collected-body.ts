import type { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { WeirError } from '../http/index.js';

/** What is kept longer than this much at a time is packed. */
const BLOCK_BYTES = 128 * 1024;
const FASTEST = { level: zlib.constants.Z_BEST_SPEED };

/**
 * What has come of a body so far, up to a limit. Long ones are kept packed: events of a stream repeat themselves, and a
 * client that does not read keeps them here for a while.
 */
export class CollectedBody {
  private readonly packed: Buffer[] = [];
  private chunks: Buffer[] = [];
  private chunkBytes = 0;
  private size = 0;
  private full = false;

  constructor(private readonly limitBytes: number) {}

  /** @returns false when the chunk did not fit any more; then nothing more is kept */
  add(chunk: Buffer): boolean {
    this.full ||= this.size + chunk.length > this.limitBytes;
    if (this.full) return false;
    this.chunks.push(chunk);
    this.chunkBytes += chunk.length;
    this.size += chunk.length;
    if (this.chunkBytes >= BLOCK_BYTES) this.pack();
    return true;
  }

  get bytes(): Buffer {
    const blocks = this.packed.map((block) => zlib.inflateRawSync(block));
    return Buffer.concat([...blocks, ...this.chunks], this.size);
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

  private pack(): void {
    const packed = zlib.deflateRawSync(Buffer.concat(this.chunks, this.chunkBytes), FASTEST);
    // zlib gives a view of a much larger buffer, which would be kept as a whole.
    this.packed.push(Buffer.from(packed));
    this.chunks = [];
    this.chunkBytes = 0;
  }
}
