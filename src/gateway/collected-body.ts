import type { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { WeirError } from '../http/index.js';
import { SpillFile, type Spilled } from './spill-file.js';

/** The initial and the full size of a block; a full block is compressed. */
const FIRST_BLOCK_BYTES = 4 * 1024;
const BLOCK_BYTES = 32 * 1024;
/** Compressed bytes of a body that are kept in memory; the rest goes to disk. */
const IN_MEMORY_BYTES = 64 * 1024;
/** The size of a slot on disk, large enough for a block that compression does not shorten. */
const SLOT_BYTES = BLOCK_BYTES + 4 * 1024;
/** Compression with small output chunks, because chunks of the default size become garbage faster than memory is freed. */
const FASTEST = { level: zlib.constants.Z_BEST_SPEED, chunkSize: 2 * 1024 };

const SPILL = new SpillFile(SLOT_BYTES);
/** Frees the buffers and disk space of bodies that are no longer in use. */
const FORGOTTEN = new FinalizationRegistry<readonly (Buffer | Spilled)[]>((blocks) => {
  for (const block of blocks) if (!Buffer.isBuffer(block)) SPILL.release(block);
});

/**
 * The received part of a body, up to a limit. Long bodies are compressed, and very long ones continue on disk: a client
 * that reads slowly keeps its body here for a while, and there may be many such clients.
 */
export class CollectedBody {
  /** The first chunk, unchanged, as long as it is the only one: most answers arrive in one. */
  private only: Buffer | undefined;
  private readonly packed: (Buffer | Spilled)[] = [];
  private packedBytes = 0;
  /**
   * Allocated when data arrives. Chunks are copied into it, because each would otherwise keep a whole network buffer
   * alive.
   */
  private block = Buffer.alloc(0);
  private blockBytes = 0;
  private size = 0;
  private full = false;

  /** @param spill storage for the part that exceeds memory */
  constructor(
    private readonly limitBytes: number,
    private readonly spill = SPILL,
  ) {}

  /** @returns false if the chunk exceeded the limit; no further chunk is kept then */
  add(chunk: Buffer): boolean {
    this.full ||= this.size + chunk.length > this.limitBytes;
    if (this.full) return false;
    const isFirst = this.size === 0;
    this.size += chunk.length;
    if (isFirst && chunk.length <= BLOCK_BYTES) {
      this.only = chunk;
      return true;
    }
    if (this.only !== undefined) this.copy(this.only);
    this.only = undefined;
    this.copy(chunk);
    return true;
  }

  private copy(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.blockBytes === this.block.length) this.grow(chunk.length - at);
      const copied = chunk.copy(this.block, this.blockBytes, at);
      this.blockBytes += copied;
      at += copied;
      if (this.blockBytes === BLOCK_BYTES) this.pack();
    }
  }

  /** The length of the body, in bytes. */
  get length(): number {
    return this.size;
  }

  /** The whole body. */
  get bytes(): Buffer {
    if (this.only !== undefined) return this.only;
    const blocks = this.packed.map((block) => this.unpacked(block));
    return Buffer.concat([...blocks, this.block.subarray(0, this.blockBytes)], this.size);
  }

  /** The last bytes of the body: at least a block, if it is that long. */
  get lastBytes(): Buffer {
    if (this.only !== undefined) return this.only;
    const last = this.packed.at(-1);
    const own = this.block.subarray(0, this.blockBytes);
    return last === undefined ? own : Buffer.concat([this.unpacked(last), own]);
  }

  /** The body in pieces, each of which is unpacked when it is read: a client that reads slowly keeps one piece in memory. */
  *pieces(): Generator<Buffer, undefined> {
    if (this.only !== undefined) {
      yield this.only;
      return;
    }
    for (const block of this.packed) yield this.unpacked(block);
    if (this.blockBytes > 0) yield this.block.subarray(0, this.blockBytes);
  }

  /**
   * Reads a body to its end.
   * @throws WeirError for a body over the limit; the body's own error when it fails
   */
  async readAll(body: Readable): Promise<Buffer> {
    await this.keepAll(body);
    return this.bytes;
  }

  /**
   * Keeps a body to its end.
   * @throws like `readAll`
   */
  async keepAll(body: Readable): Promise<void> {
    if (body.destroyed && !body.readableEnded) throw body.errored ?? closedEarly();
    if (!body.readableEnded) await this.end(body);
  }

  private unpacked(block: Buffer | Spilled): Buffer {
    return zlib.inflateRawSync(Buffer.isBuffer(block) ? block : this.spill.get(block));
  }

  /** Waits for the end of the body. Uses events, because an iterator costs more than a short body itself. */
  private end(body: Readable): Promise<void> {
    return new Promise((ended, failed) => {
      body.on('data', (chunk: Buffer) => {
        if (this.add(chunk)) return;
        body.destroy(answerTooLarge());
      });
      body.once('end', ended);
      body.once('error', failed);
      body.once('close', () => {
        if (!body.readableEnded) failed(closedEarly());
      });
      body.resume();
    });
  }

  private grow(wantedBytes: number): void {
    const least = Math.max(FIRST_BLOCK_BYTES, this.block.length * 2, this.blockBytes + wantedBytes);
    const block = Buffer.allocUnsafeSlow(Math.min(BLOCK_BYTES, least));
    this.block.copy(block, 0, 0, this.blockBytes);
    this.block = block;
  }

  private pack(): void {
    if (this.packed.length === 0 && this.spill === SPILL) FORGOTTEN.register(this, this.packed);
    const packed = zlib.deflateRawSync(this.block, FASTEST);
    this.blockBytes = 0;
    const inMemory = this.packedBytes + packed.length <= IN_MEMORY_BYTES;
    const spilled = inMemory ? undefined : this.spill.put(packed);
    if (spilled !== undefined) {
      this.packed.push(spilled);
      return;
    }
    // A separate buffer: zlib returns a view of a larger one, and short copies would share a pooled buffer and keep it
    // alive.
    const own = Buffer.allocUnsafeSlow(packed.length);
    packed.copy(own);
    this.packed.push(own);
    this.packedBytes += own.length;
  }
}

/** The error for an answer over the limit. A repeated call would cost another answer, which may be as long. */
export function answerTooLarge(): WeirError {
  return new WeirError('upstream_unreachable', {
    message: "The provider's answer exceeds the size limit for judged answers",
    retryHelps: false,
  });
}

function closedEarly(): Error {
  return new Error('a body was closed before its end');
}
