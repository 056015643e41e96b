import type { SpendingCall } from '../events/index.js';
import { isFree } from './call-cost.js';

const callOf = (path: string, governed = false) =>
  ({ route: { method: 'POST', path, governed, baseUrl: 'https://api.example' } }) as unknown as SpendingCall;

describe('A call with POST to a route that no rules govern', () => {
  it.each([
    '/v1/files',
    '/v1/files?purpose=x',
    '/v1/moderations',
    '/upload/v1beta/files?uploadType=media',
    '/v1/models/',
  ])('is free on a route for which no provider charges: %s', (path) => expect(isFree(callOf(path))).toBe(true));

  it.each([
    '/v1/images/generations',
    '/v1/images/generations?x=/files',
    '/v1/videos?a=/models',
    '/v1/threads/t/runs?/uploads',
  ])('is not free on another route, whatever its query contains: %s', (path) =>
    expect(isFree(callOf(path))).toBe(false),
  );

  it('is not free on a governed route with the name of a free one', () => {
    expect(isFree(callOf('/v1/files', true))).toBe(false);
  });
});
