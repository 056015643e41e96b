/** Times at the ends of the calendar. PostgreSQL has no year 0, and reads no year of five digits. */
import { eachApp } from '../support/each-app.js';
import { restClient } from '../support/rest-client.js';

/** In UTC, the year 10000. */
const AFTER_THE_LAST_YEAR = '9999-12-31T23:59:59-23:59';
const FIRST = '0000-01-01';

eachApp('Times at the ends of the calendar', (current) => {
  const rest = restClient(current);
  const post = async (path: string, body: object) => {
    const response = await fetch(`${current().url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${current().bootstrap.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };

  it.each(['/v1/events?', '/v1/sessions?', '/v1/marks?', '/v1/audit?'])(
    'are accepted as the start or the end of a listing: %s',
    async (path) => {
      for (const time of [FIRST, AFTER_THE_LAST_YEAR]) {
        for (const name of ['from', 'to']) {
          const { status, text } = await rest.read(`${path}${name}=${time}`);
          expect([name, time, status, text]).toEqual([name, time, 200, expect.anything()]);
        }
      }
    },
  );

  it.each([
    [`/v1/stats?to=${AFTER_THE_LAST_YEAR}`, 200],
    [`/v1/stats?to=${AFTER_THE_LAST_YEAR}&group_by=rule`, 200],
    ['/v1/stats?from=1970-01-01&to=1970-01-02', 200],
    ['/v1/stats?to=1970-01-01', 200],
    ['/v1/stats?from=0001-01-01&to=0001-02-01', 422],
    [`/v1/stats?from=${AFTER_THE_LAST_YEAR}`, 422],
    [`/v1/policies/production/rules/stats?to=${AFTER_THE_LAST_YEAR}`, 200],
    ['/v1/policies/production/rules/stats?to=0001-01-01', 422],
  ])('are no failure of the statistics: %s', async (path, expected) => {
    const { status, text } = await rest.read(path);
    expect([status, text]).toEqual([expected, expect.anything()]);
  });

  it('are accepted as the end of a key or token up to the year 9999', async () => {
    const keys = `/v1/apps/${current().bootstrap.app.id}/keys`;
    const bodies = [
      [keys, { name: 'k', environment: 'staging' }],
      ['/v1/tokens', { name: 't', scopes: ['events:read'] }],
    ] as const;
    for (const [path, body] of bodies) {
      const made = await post(path, { ...body, expires_at: '9999-12-31T23:59:59Z' });
      expect([path, made.status, made.text]).toEqual([path, 201, expect.stringContaining('9999-12-31T23:59:59.000Z')]);
      const refused = await post(path, { ...body, expires_at: AFTER_THE_LAST_YEAR });
      expect([path, refused.status, refused.text]).toEqual([path, 422, expect.stringContaining('"expires_at"')]);
    }
  });
});
