/** Random numbers from 0 to 1 that depend only on a seed, so that a run can be repeated from its printed seed. */
export function seededRandom(seed: number): () => number {
  const next = mulberry32(seed);
  return () => next() / 4_294_967_296;
}

/** Like `seededRandom`, with integers from 0 to just below a limit. */
export function seededBelow(seed: number): (limit: number) => number {
  const next = mulberry32(seed);
  return (limit) => next() % limit;
}

/** Random 32-bit integers (mulberry32, T. Ettinger, public domain): little code, and the same results everywhere. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
