/**
 * The settings with which this machine reaches the mirror of Debian, npm's registry and PyPI: addresses, proxies and certificates. A fresh
 * system gets them at run time, so that a check also runs behind mirrors, and none of their addresses is in the repository. Each value is
 * asked from the program that uses it. Credentials in configuration files are not read.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';

const PROXIES = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()]);
const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'];
/** Options of pip about how it reaches an index. Paths to packages on this machine do not exist in a fresh system. */
const OF_PIP = [
  'index-url',
  'extra-index-url',
  'trusted-host',
  'proxy',
  'cert',
  'timeout',
  'default-timeout',
  'retries',
];
/** Files that tell a system which hosts there are, and which certificates it trusts. */
const FILES = ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt'];

/** Returns environment variables for the fresh system, and paths of files to copy into it. */
export function networkSettings() {
  const env = { ...fromEnvironment([...PROXIES, ...CERTIFICATES]), ...ofNpm(), ...ofPip() };
  // curl would otherwise send calls of the service on this machine to the proxy.
  if (PROXIES.some((name) => env[name] !== undefined)) {
    const direct = [process.env.no_proxy ?? process.env.NO_PROXY ?? '', 'localhost', '127.0.0.1'];
    env.no_proxy = env.NO_PROXY = direct.filter((host) => host !== '').join(',');
  }
  const certificates = [...CERTIFICATES, 'npm_config_cafile', 'PIP_CERT'].map((name) => env[name]);
  const files = [...new Set([...FILES, ...certificates])].filter(
    (file) => file !== undefined && isAbsolute(file) && existsSync(file),
  );
  return { env, files };
}

/**
 * Returns the address from which apt on this machine loads a release of Debian; undefined if it uses another release or is missing.
 *
 * @param {string} release such as `bookworm`
 */
export function debianMirror(release) {
  const targets = said('apt-get', 'indextargets', '--format', '$(REPO_URI) $(RELEASE) $(COMPONENT)') ?? '';
  const lines = targets.split('\n').map((line) => line.split(' '));
  return lines.find(([, name, component]) => name === release && component === 'main')?.[0];
}

function fromEnvironment(names) {
  return Object.fromEntries(names.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined));
}

function ofNpm() {
  const settings = ['registry', 'cafile'].map((name) => [`npm_config_${name}`, said('npm', 'config', 'get', name)]);
  return Object.fromEntries(settings.filter(([, value]) => value !== undefined && !['', 'null'].includes(value)));
}

/** Lines of pip look like `global.index-url='https://…'`; those of its environment, which takes precedence, like `:env:.cert='…'`. */
function ofPip() {
  const lines = (said('python3', '-m', 'pip', 'config', 'list') ?? '').split('\n');
  const settings = lines.flatMap((line) => {
    const [, section, name, value] = /^(global|install|:env:)\.([\w-]+)='(.*)'$/.exec(line) ?? [];
    // pip writes several values of one option with `\n` between them, and reads them from a variable with spaces.
    return OF_PIP.includes(name) ? [{ section, name, value: value.replaceAll('\\n', ' ').trim() }] : [];
  });
  const rank = ({ section }) => ['global', 'install', ':env:'].indexOf(section);
  const variable = (name) => `PIP_${name.toUpperCase().replaceAll('-', '_')}`;
  const sorted = settings.sort((a, b) => rank(a) - rank(b));
  return Object.fromEntries(sorted.map(({ name, value }) => [variable(name), value]));
}

/** What a program prints; undefined if it fails or is missing. */
function said(command, ...words) {
  const { status, stdout } = spawnSync(command, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return status === 0 ? stdout.trim() : undefined;
}
