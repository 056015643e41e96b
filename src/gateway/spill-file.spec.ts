import { randomBytes } from 'node:crypto';
import { SpillFile } from './spill-file.js';

describe('SpillFile', () => {
  let file: SpillFile;

  beforeEach(() => {
    file = new SpillFile(1_000);
  });
  afterEach(() => file.close());

  it('returns each stored piece separately', () => {
    const pieces = [1, 999, 1_000, 500].map((length) => randomBytes(length));
    const places = pieces.map((piece) => file.put(piece)!);
    expect(places.map((place) => file.get(place).equals(pieces[places.indexOf(place)]!))).toEqual([
      true, true, true, true,
    ]); // prettier-ignore
  });

  it('reuses the space of released pieces', () => {
    for (let round = 0; round < 50; round++) {
      const place = file.put(randomBytes(1_000))!;
      file.release(place);
    }
    expect(file.size).toBe(1);
  });

  it('rejects a piece that is too long', () => {
    expect(file.put(randomBytes(1_001))).toBeUndefined();
  });

  it('reports a piece that differs from what was stored', () => {
    const place = file.put(randomBytes(100))!;
    file.release(place);
    file.put(randomBytes(100));
    expect(() => file.get(place)).toThrow();
  });
});
