import { withUrlsAtWeir } from './provider-urls.js';

const WEIR = 'https://weir.example/gate';
const GOOGLE = { id: 'gemini', baseUrl: 'https://generativelanguage.googleapis.com' };
const AZURE = { id: 'azure', baseUrl: 'https://mine.openai.azure.com/openai' };
const UPLOAD = '/upload/v1beta/files?upload_id=a%2Fb&upload_protocol=resumable';

describe('A URL in the headers of an answer', () => {
  it.each(['x-goog-upload-url', 'x-goog-upload-control-url', 'location', 'content-location', 'operation-location'])(
    'leads through Weir if it is below the base URL of the provider: %s',
    (name) => {
      expect(withUrlsAtWeir({ [name]: GOOGLE.baseUrl + UPLOAD }, GOOGLE, WEIR)).toEqual({
        [name]: `${WEIR}/proxy/gemini${UPLOAD}`,
      });
    },
  );

  it.each([
    ['with the port that its scheme implies', 'https://GenerativeLanguage.googleapis.com:443/v1/x', '/v1/x'],
    ['with the other scheme', 'http://generativelanguage.googleapis.com/v1/x', '/v1/x'],
    ['without a scheme', '//generativelanguage.googleapis.com/v1/x', '/v1/x'],
    ['as a path', '/v1/x?y#z', '/v1/x?y#z'],
  ])('leads through Weir if it is written %s', (_how, written, path) => {
    const { location } = withUrlsAtWeir({ location: written }, GOOGLE, WEIR);
    expect(location).toBe(`${WEIR}/proxy/gemini${path}`);
  });

  it('leads through Weir without the path of the base URL, which Weir adds', () => {
    const given = { 'operation-location': 'https://mine.openai.azure.com/openai/operations/1?api-version=1' };
    const { 'operation-location': location } = withUrlsAtWeir(given, AZURE, WEIR);
    expect(location).toBe(`${WEIR}/proxy/azure/operations/1?api-version=1`);
  });

  it('leads through Weir in each link to the provider, whose other parts stay', () => {
    const link = '<https://mine.openai.azure.com/openai/x?a=1,2>; rel="next", <https://docs.example/x>; rel="help"';
    expect(withUrlsAtWeir({ link }, AZURE, WEIR)['link']).toBe(
      `<${WEIR}/proxy/azure/x?a=1,2>; rel="next", <https://docs.example/x>; rel="help"`,
    );
  });

  it.each([
    'https://storage.example/blob?sig=a',
    'https://mine.openai.azure.com/openaix/y',
    'https://mine.openai.azure.com:8443/openai/y',
    'https://mine.openai.azure.com.evil.example/openai/y',
    '/other/y',
    'y',
    '?page=2',
    '',
    'https://',
  ])('stays as it is if it is not below the base URL of the provider: %s', (url) => {
    const given = { location: url, link: `<${url}>` };
    expect(withUrlsAtWeir(given, AZURE, WEIR)).toMatchObject(given);
  });

  it('is removed if a client would send a file to it past Weir', () => {
    const given = { 'x-goog-upload-url': `https://elsewhere.example${UPLOAD}`, 'x-goog-upload-status': 'active' };
    const { 'x-goog-upload-url': url, ...rest } = withUrlsAtWeir(given, GOOGLE, WEIR);
    expect(url).toBeUndefined();
    expect(rest).toMatchObject({ 'x-goog-upload-status': 'active' });
  });

  it('changes nothing in an answer without one', () => {
    const given = { 'content-type': 'application/json' };
    expect(withUrlsAtWeir(given, GOOGLE, WEIR)).toBe(given);
  });
});
