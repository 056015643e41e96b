/** The variable of Node.js that decides whether its requests use a proxy: 1 means yes. */
const OF_NODE = 'NODE_USE_ENV_PROXY';
/** Names and addresses of this machine, which a proxy on another machine cannot reach. */
const LOCAL = 'localhost,127.0.0.1,::1,[::1]';

type Environment = Readonly<Record<string, string | undefined>>;
type Setter = typeof import('node:http').setGlobalProxyFromEnv;

/**
 * Makes requests of this process use the proxy in `HTTPS_PROXY` or `HTTP_PROXY`, except to hosts in `NO_PROXY` and to this machine, as
 * users of other commands expect. Node.js itself uses a proxy only if `NODE_USE_ENV_PROXY=1` is set, then also for this machine;
 * `NODE_USE_ENV_PROXY=0` turns the proxy off.
 *
 * @returns a function that undoes the change
 */
export function useProxyOf(env: Environment): () => void {
  const nothing = (): void => undefined;
  if (env[OF_NODE] === '1' || proxyFor('https:', env)?.use !== 'used') return nothing;
  const [https, http] = [proxyUrl(valueOf('HTTPS_PROXY', env)), proxyUrl(valueOf('HTTP_PROXY', env))];
  const direct = [valueOf('NO_PROXY', env), LOCAL].filter((part) => part !== undefined).join(',');
  const set = setter();
  if (set === undefined) return nothing;
  return set({
    no_proxy: direct,
    ...(http === undefined ? {} : { http_proxy: http }),
    ...(https === undefined ? {} : { https_proxy: https }),
  });
}

/**
 * The variable whose proxy requests to URLs of this protocol would use, and whether they do: not if the proxy is turned off, if this
 * version of Node.js reads the variables only at its start, or if one of them is not the URL of an HTTP proxy. As in Node.js,
 * `HTTP_PROXY` also stands for a missing `HTTPS_PROXY`.
 */
export function proxyFor(
  protocol: string,
  env: Environment,
): { readonly name: string; readonly use: 'used' | 'unused' | 'invalid' } | undefined {
  const names = protocol === 'https:' ? ['HTTPS_PROXY', 'HTTP_PROXY'] : ['HTTP_PROXY'];
  const name = names.find((each) => valueOf(each, env) !== undefined);
  if (name === undefined) return undefined;
  if (env[OF_NODE] === '1') return { name, use: 'used' };
  const invalid = ['HTTPS_PROXY', 'HTTP_PROXY'].find((each) => isInvalid(valueOf(each, env)));
  if (invalid !== undefined) return { name: invalid, use: 'invalid' };
  const isOff = (env[OF_NODE] ?? '') !== '' || setter() === undefined;
  return { name, use: isOff ? 'unused' : 'used' };
}

/** The value of a variable, whose name may also be written in small letters. */
function valueOf(name: string, env: Environment): string | undefined {
  return [env[name.toLowerCase()], env[name]].find((value) => value !== undefined && value !== '');
}

function isInvalid(value: string | undefined): boolean {
  return value !== undefined && proxyUrl(value) === undefined;
}

/** The URL of a proxy, which may be written without `http://`; undefined if it is not the URL of an HTTP proxy. */
function proxyUrl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = value.includes('://') ? value : `http://${value}`;
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : undefined;
}

/** The function of Node.js 24.14 or newer. Its module is loaded only if there is a proxy: loading it slows down short commands. */
function setter(): Setter | undefined {
  return (process.getBuiltinModule('node:http') as { setGlobalProxyFromEnv?: Setter }).setGlobalProxyFromEnv;
}
