/** What a chunk becomes, and whether nothing after it matters. */
export interface Turned {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/**
 * What each chunk becomes, in order; nothing for one that becomes nothing. While the receiver takes its time only that is
 * kept: a generator that also had the chunk in a variable would keep it, too, and with it a whole network buffer.
 */
export async function* turnedChunks(
  chunks: AsyncGenerator<Buffer>,
  turn: (chunk: Buffer) => Promise<Turned>,
): AsyncGenerator<Buffer> {
  const next = async (): Promise<Turned | undefined> => {
    const result = await chunks.next();
    return result.done === true ? undefined : turn(result.value);
  };
  try {
    for (let turned = await next(); turned !== undefined; turned = await next()) {
      if (turned.bytes.length > 0) yield turned.bytes;
      if (turned.isLast) return;
    }
  } finally {
    await chunks.return(undefined);
  }
}
