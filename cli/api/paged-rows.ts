/** One answer of a list that the service returns in pages. */
interface Page<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

/** The maximum number of rows in one answer of the service. */
const PAGE = 200;

/**
 * Reads a list page by page. A page may be empty and still have a next one, because a search ends early if it takes too long.
 *
 * @param limit the maximum number of rows
 * @param read requests the page with these parameters
 * @returns the rows, and whether there are more
 * @throws the errors of `read`
 */
export async function pagedRows<Row>(
  query: URLSearchParams,
  limit: number,
  read: (query: string) => Promise<Page<Row>>,
): Promise<{ readonly rows: Row[]; readonly more: boolean }> {
  const asked = new URLSearchParams(query);
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    asked.set('limit', String(Math.min(PAGE, limit - rows.length)));
    if (cursor !== null) asked.set('cursor', cursor);
    const page: Page<Row> = await read(asked.toString());
    rows.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null && rows.length < limit);
  return { rows, more: cursor !== null };
}
