import type { Writable } from 'node:stream';
import type { Io, MaybeTerminal } from './io.js';

/** Keys and tokens of Weir, including truncated ones: `<prefix>wr1_<id><secret><checksum>`. */
const OWN = /(?:(?:sk|wt)_(?:live|test)_(?:wr1_)?|wr1_)[0-9A-Za-z]{4,}/g;
/** Keys of other vendors, recognised by their prefixes, and JSON Web Tokens. */
const VENDORS =
  /(?:sk|pk|rk)[-_][\w-]{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|xox[a-z]-[\w-]{10,}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{20,}|eyJ[\w-]{8,}\.[\w.-]{8,}/g;
/** A random-looking word: letters of both cases, several digits, and no dot or slash as in a file name. */
const RANDOM = /^(?=.*[a-z])(?=.*[A-Z])(?=(?:.*\d){3})[\w+=-]{20,}$/;

export const HIDDEN = '[credential]';

/**
 * Redacts, in stdout and stderr, credentials that were typed as arguments. This applies to every command, flag and error, because output
 * is pasted into tickets and stored by CI. On stdout, only Weir's own credentials are redacted; on stderr, which only quotes arguments,
 * everything that looks like a credential. Keys that a command creates are not among the arguments, so they are printed.
 *
 * @param argv the command line, without the program's name
 */
export function hideCredentials(io: Io, argv: readonly string[]): Io {
  const own = new Set(argv.flatMap((argument) => argument.match(OWN) ?? []));
  const all = new Set([
    ...own,
    ...argv.flatMap((argument) => [...(argument.match(VENDORS) ?? []), ...random(argument)]),
  ]);
  if (all.size === 0) return io;
  return { ...io, nowMs: () => io.nowMs(), stdout: without(io.stdout, own), stderr: without(io.stderr, all) };
}

/** Whether any argument looks like a credential. */
export function namesCredential(argv: readonly string[]): boolean {
  return argv.some(
    (argument) => [OWN, VENDORS].some((pattern) => argument.search(pattern) >= 0) || RANDOM.test(argument),
  );
}

function random(argument: string): string[] {
  const value = argument.replace(/^--?[\w-]+=/, '');
  return RANDOM.test(value) ? [value] : [];
}

function without<Stream extends MaybeTerminal<Writable>>(stream: Stream, secrets: ReadonlySet<string>): Stream {
  if (secrets.size === 0) return stream;
  // Longest first: a credential may contain another one.
  const ordered = [...secrets].sort((one, other) => other.length - one.length);
  const hide = (text: string) => ordered.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
  // Latin-1 maps each byte to one character, so binary output survives the round trip.
  const hideBytes = (bytes: Uint8Array) => Buffer.from(hide(Buffer.from(bytes).toString('latin1')), 'latin1');
  return new Proxy(stream, {
    get(target, name) {
      if (name === 'write') {
        return (text: string | Uint8Array, written?: (error: Error | null | undefined) => void) =>
          target.write(typeof text === 'string' ? hide(text) : hideBytes(text), written);
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
