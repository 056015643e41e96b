import { Gathered } from './gathered.js';

describe('Gathered', () => {
  it('combines requests that arrive while one is running, and gives each its own answer', async () => {
    const asked: (readonly number[])[] = [];
    const doubled = new Gathered<number, number>((items) => {
      asked.push(items);
      return Promise.resolve(items.map((item) => item * 2));
    }, 3);
    expect(await Promise.all([1, 2, 3, 4, 5].map((item) => doubled.of(item)))).toEqual([2, 4, 6, 8, 10]);
    expect(asked).toEqual([[1], [2, 3, 4], [5]]);
  });

  it('continues after a failed query', async () => {
    let fails = true;
    const gathered = new Gathered<number, number>(
      (items) => (fails ? Promise.reject(new Error('down')) : Promise.resolve(items)),
      10,
    );
    await expect(gathered.of(1)).rejects.toThrow('down');
    fails = false;
    expect(await gathered.of(2)).toBe(2);
  });
});
