import type { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { WeirError } from '../http/index.js';

/** What is longer is kept in packed blocks of this size. */
const BLOCK_BYTES = 128 * 1024;
/** Small output chunks: the usual ones are thrown away faster than memory is given back. */
const FASTEST = { level: zlib.constants.Z_BEST_SPEED, chunkSize: 2 * 1024 };

/**
 * What has come of a body so far, up to a limit. Long ones are kept packed: events of a stream repeat themselves, and a
 * client that does not read keeps them here for a while.
 */
export class CollectedBody {
  private readonly packed: Buffer[] = [];
  /** Made when something comes. Chunks are copied into it: kept as they are, each would keep a whole network buffer. */
  private block: Buffer | undefined;
  private blockBytes = 0;
  private size = 0;
  private full = false;

  constructor(private readonly limitBytes: number) {}

  /** @returns false when the chunk did not fit any more; then nothing more is kept */
  add(chunk: Buffer): boolean {
    this.full ||= this.size + chunk.length > this.limitBytes;
    if (this.full) return false;
    this.size += chunk.length;
    for (let at = 0; at < chunk.length;) {
      this.block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
      const copied = chunk.copy(this.block, this.blockBytes, at);
      this.blockBytes += copied;
      at += copied;
      if (this.blockBytes === BLOCK_BYTES) this.pack(this.block);
    }
    return true;
  }

  get bytes(): Buffer {
    const blocks = this.packed.map((block) => zlib.inflateRawSync(block));
    const rest = this.block?.subarray(0, this.blockBytes) ?? Buffer.alloc(0);
    return Buffer.concat([...blocks, rest], this.size);
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

  private pack(block: Buffer): void {
    // zlib gives a view of a much larger buffer, which would be kept as a whole.
    this.packed.push(Buffer.from(zlib.deflateRawSync(block, FASTEST)));
    this.blockBytes = 0;
  }
}
