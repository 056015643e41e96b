/** Reads the first piece before the answer starts, so that an immediate failure is still an error with a status. */
export async function startedStream(lines: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = await lines.next();
  return (async function* () {
    if (first.done !== true) {
      yield first.value;
      yield* lines;
    }
  })();
}
