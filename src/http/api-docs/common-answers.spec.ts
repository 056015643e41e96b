import { withCommonAnswers } from './common-answers.js';

describe('The documented answers of a route', () => {
  it('contain 402 only if the route says so, because without a subscription only calls are refused', () => {
    const security: Record<string, string[]>[] = [{ management_token: [] }, { session: [] }];
    const responses = { 200: { description: 'Done.' } };
    const described = (own: object) => {
      const paths = withCommonAnswers({ '/v1/x': { get: { security, responses: { ...responses, ...own } } } });
      return Object.keys(paths['/v1/x']?.get?.responses ?? {});
    };
    expect(described({})).toEqual(['200', '401', '403', '404', '422', '429', '431', '503']);
    expect(described({ 402: { description: 'No subscription.' } })).toContain('402');
  });
});
