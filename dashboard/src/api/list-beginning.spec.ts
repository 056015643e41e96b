import { withBeginning } from './list-beginning.ts';

const page = (ids: string, next: string | null = 'more') => ({
  data: [...ids].map((id) => ({ id })),
  next_cursor: next,
});
const list = (...pages: readonly ReturnType<typeof page>[]) => ({
  pages: [...pages],
  pageParams: pages.map((_, index) => (index === 0 ? undefined : index)),
});
const idsOf = ({ pages }: { readonly pages: readonly ReturnType<typeof page>[] }): readonly string[] =>
  pages.map(({ data }) => data.map(({ id }) => id).join(''));

describe('A list of several pages whose beginning is loaded again', () => {
  it('has the new entries first, and keeps its other pages and their cursors', () => {
    const loaded = list(page('EDC', 'after C'), page('BA', 'after A'));
    const updated = withBeginning(loaded, page('GFE', 'after E'));
    expect(idsOf(updated)).toEqual(['GFEDC', 'BA']);
    expect(updated.pages.map(({ next_cursor: next }) => next)).toEqual(['after C', 'after A']);
    expect(updated.pageParams).toEqual(loaded.pageParams);
  });

  it('begins anew if there may be entries between the new ones and those it has', () => {
    const updated = withBeginning(list(page('CB'), page('A')), page('ZYX', 'after X'));
    expect(idsOf(updated)).toEqual(['ZYX']);
    expect(updated.pageParams).toEqual([undefined]);
  });

  it('shows no entry twice, also if an entry moved to the front', () => {
    expect(idsOf(withBeginning(list(page('DC'), page('BA')), page('AED')))).toEqual(['AEDC', 'B']);
  });

  it('keeps entries in front that were loaded meanwhile', () => {
    expect(idsOf(withBeginning(list(page('FEDC')), page('EDC')))).toEqual(['FEDC']);
  });

  it('consists of the new page if that is the whole list, or the first that is loaded', () => {
    expect(idsOf(withBeginning(list(page('CB'), page('A')), page('D', null)))).toEqual(['D']);
    expect(idsOf(withBeginning(undefined, page('BA')))).toEqual(['BA']);
  });

  it('stays as it is if the search for new entries ended early', () => {
    const loaded = list(page('CB'), page('A'));
    expect(withBeginning(loaded, page(''))).toBe(loaded);
  });
});
