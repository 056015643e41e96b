import { inDialect } from '../../sdk/node/src/refusal.js';
import { ERROR_CATALOGUE, PROVIDER_STYLES, providerOfStyle, type ErrorType } from '../../src/core/index.js';
import { ERROR_STATUS } from '../../src/http/index.js';

const TYPES = Object.keys(ERROR_CATALOGUE) as ErrorType[];
type Body = { readonly error: { readonly type?: string; readonly status?: string; readonly code?: unknown } };

describe('An error in the format of Weir', () => {
  const converted = async (style: string, type: ErrorType): Promise<Body> => {
    const answer = new Response('{}', { status: ERROR_STATUS[type] });
    return (await inDialect(style, answer, type, 'No').json()) as Body;
  };

  it.each(PROVIDER_STYLES)('gets from the package the names that the service gives it: %s', async (style) => {
    for (const type of TYPES) {
      const status = ERROR_STATUS[type];
      const weir = { code: type };
      const own = { type, message: 'Weir: No', status, requestId: 'r', param: null, weir };
      const { error } = providerOfStyle(style).error(own) as Body;
      const named = ({ type: name, status: word, code }: Body['error']) => [type, name, word, code];
      expect(named((await converted(style, type)).error)).toEqual(named(error));
    }
  });

  it('is not found in the words of each provider', async () => {
    expect(await converted('openai', 'not_found')).toMatchObject({ error: { type: 'not_found_error' } });
    expect(await converted('anthropic', 'not_found')).toMatchObject({ error: { type: 'not_found_error' } });
    expect(await converted('gemini', 'not_found')).toMatchObject({ error: { status: 'NOT_FOUND' } });
  });
});
