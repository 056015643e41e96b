/** Reads the first piece before the answer starts, so that an immediate failure is still an error with a status. */
export async function startedStream(lines: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = await lines.next();
  const begun = first.done === true ? [] : [first.value];
  return (async function* () {
    // Taken from the list, so that it does not stay in memory for as long as the stream.
    for (let text = begun.pop(); text !== undefined; text = begun.pop()) yield text;
    yield* lines;
  })();
}
