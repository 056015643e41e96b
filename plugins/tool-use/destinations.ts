/**
 * The structure plugin `tool-use`: effects, destinations and origins of tool calls as facts. It reads the conversation
 * and never the outside world.
 */
import type { JsonValue, ToolCall } from '../../src/core/plugin-api.js';

/** The kinds of places or persons to which an argument can refer. */
export const DESTINATION_KINDS = ['email', 'url', 'account', 'phone', 'path'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** A place to which data, money or control can go, in a normal form in which different spellings are equal. */
export interface Destination {
  readonly kind: DestinationKind;
  /** Normalised: lower case; a URL is its host; account and phone numbers have no separators. */
  readonly value: string;
}

const MAX_STRINGS = 2_000;
const MAX_DEPTH = 64;
/** The part of a text that is searched: an address that makes up a text is in it. */
const TEXT_UNITS = 8_192;
/** The part of a text that is searched if all addresses in the text count. */
const LIST_UNITS = 65_536;

// Every pattern starts at a boundary and every quantifier has a limit, so that matching is linear in the length of the text.
const EMAIL = /(?<![\w.+-])\w[\w.+%'-]{0,63}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}]{2,24}(?![\w-])/gu;
/** Maximum number of units of a URL between its scheme and its path. In a longer one, the host is unknown. */
const AUTHORITY_UNITS = 512;
/** The lookahead leaves the authority to the next match: in a list, another URL may follow a comma. Slashes may be escaped. */
const URL_WITH_SCHEME = /(?<![a-z])(https?|wss?|ftps?|s3|gs|file|mailto):[\\/]{0,8}(?=([^\s/?#]{1,512}))/gi;
/** A host, or an address of IPv6 in brackets. */
const HOST = /^(?:\[[\da-f:.]{2,64}\]|[^:<>"'`\\)\]},]{1,253})/i;
const HOST_ONLY =
  /(?<![\w@./-])((?:[a-z0-9-]{1,63}\.){1,6}(?:com|net|org|io|ai|app|dev|info|biz|co|me|xyz|site|online|tech|icu|club|fun|pro|shop|website|vip|[a-z]{2}))(?![\w@-]|\.[a-z0-9])/gu;
/**
 * An address of IPv4 without a scheme, as commands take it. A word, a dot or `==` before it makes it a version, and a slash a
 * part of a path, except in `/dev/tcp/…`.
 */
const IPV4 =
  /(?<![\w.-]|==|(?<!\/|\/dev\/(?:tc|ud)p)\/)(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}(?![\w-]|\.\w)/g;
const IS_IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** Four numbers below this are more often a version, unless a user, a port or a path is beside them. */
const SMALL = 32;
// ISO 13616: two letters, two check digits, up to 30 characters; the checksum is not verified, since an attacker's account need not be
// valid.
const ACCOUNT =
  /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[A-Z0-9]{8,30}|(?:[ -][A-Z0-9]{4}){2,7}(?:[ -][A-Z0-9]{1,3})?)(?![A-Za-z0-9])/g;
const CRYPTO =
  /(?<![A-Za-z0-9])(?:0x[0-9a-fA-F]{40}|bc1[0-9ac-hj-np-z]{11,71}|[13][1-9A-HJ-NP-Za-km-z]{25,34})(?![A-Za-z0-9])/g;
const PHONE = /(?<![\w+])\+\d(?:[ ().-]{0,2}\d){7,14}(?!\d)/g;
const PATH = /(?<![\w:/\\.~])(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[\w.@~+-]{1,128}[/\\]){0,24}[\w.@~+-]{1,128}(?![\w/\\])/g;

/** All destinations anywhere in a text, to check whether a person or a tool result has named one. */
export function destinationsIn(text: string): readonly Destination[] {
  return searched(text).destinations;
}

function searched(text: string): DestinationsFound {
  const found: Destination[] = [];
  let isComplete = true;
  const push = (kind: DestinationKind, value: string): void => {
    found.push({ kind, value });
  };
  for (const match of text.matchAll(EMAIL)) push('email', match[0].toLowerCase());
  for (const [, scheme = '', authority = ''] of text.matchAll(URL_WITH_SCHEME)) {
    const hosts = hostsOf(scheme, authority);
    if (hosts === undefined) isComplete = false;
    for (const each of hosts ?? []) push('url', each);
  }
  for (const match of text.matchAll(HOST_ONLY)) push('url', host(match[1] ?? ''));
  for (const match of text.matchAll(IPV4)) if (isHostAt(text, match.index, match[0])) push('url', match[0]);
  for (const match of text.matchAll(ACCOUNT)) push('account', match[0].replace(/[ -]/g, '').toLowerCase());
  for (const match of text.matchAll(CRYPTO)) push('account', match[0].toLowerCase());
  for (const match of text.matchAll(PHONE)) push('phone', match[0].replace(/\D/g, ''));
  for (const match of text.matchAll(PATH)) push('path', match[0].replaceAll('\\', '/').toLowerCase());
  return { destinations: found.filter((destination) => destination.value.length > 1), isComplete };
}

/** Whether four numbers are the address of another machine, and not a version, a mask or the address of the machine itself. */
function isHostAt(text: string, start: number, address: string): boolean {
  if (/^(?:127|255)\./.test(address)) return false;
  if (address.startsWith('10.') || address.split('.').some((part) => Number(part) >= SMALL)) return true;
  return /[@/]/.test(text[start - 1] ?? '') || /[/:]/.test(text[start + address.length] ?? '');
}

/**
 * The hosts to which programs may connect for a URL: what follows the last `@` before the path (RFC 3986, section 3.2). Programs disagree
 * whether a backslash or a quotation mark ends this part, so a host before it and a host after a later `@` both count.
 *
 * @returns undefined if the URL is too long to know the host
 */
function hostsOf(scheme: string, authority: string): readonly string[] | undefined {
  // Recipients are also found as addresses; each has a host.
  if (/^mailto$/i.test(scheme)) return authority.split(/[,;]/).map(hostIn);
  const mark = authority.search(/[\\<>"'`]/);
  const written = mark < 0 ? authority : authority.slice(0, mark);
  if (written.length === AUTHORITY_UNITS) return undefined;
  return mark >= 0 && authority.includes('@', mark) ? [hostIn(written), hostIn(authority)] : [hostIn(written)];
}

function hostIn(authority: string): string {
  return host(HOST.exec(authority.slice(authority.lastIndexOf('@') + 1))?.[0] ?? '');
}

/** The destinations in a tool call's arguments, or in one text. */
interface DestinationsFound {
  readonly destinations: readonly Destination[];
  /**
   * False if the arguments are broken JSON or were searched only in part, or if a URL is too long: then there may be further destinations.
   */
  readonly isComplete: boolean;
}

/**
 * The destinations in a tool call's arguments. A string counts if it consists of a destination, or if its key names a recipient.
 * Addresses inside a longer text do not count, except for tools that execute their arguments (`embedded`), where `curl https://…` is
 * equivalent to a recipient, and in the free text of a custom tool, where recipients cannot be distinguished from other text.
 */
export function destinationsOfArguments(
  { args, freeText = '' }: Pick<ToolCall, 'args' | 'freeText'>,
  embedded: boolean,
): DestinationsFound {
  const unique = new Map<string, Destination>();
  // In broken JSON, keys are unknown and addresses may be escaped.
  const isFree = args === undefined && freeText.trim() !== '' && !BEGINS_AS_JSON.test(freeText);
  const { leaves, isComplete: hasAllLeaves } = stringLeaves(isFree ? freeText : args);
  let isComplete = (args !== undefined || isFree) && hasAllLeaves;
  for (const { key, text } of leaves) {
    const areAllCounted = embedded || isFree || RECIPIENT_KEY.test(key);
    const units = areAllCounted ? LIST_UNITS : TEXT_UNITS;
    if (areAllCounted && text.length > units) isComplete = false;
    const found = searched(text.length > units ? text.slice(0, units) : text);
    if (!found.isComplete && (areAllCounted || !/\s/.test(text.trim()))) isComplete = false;
    for (const destination of found.destinations) {
      if (!areAllCounted && !isWhole(text, destination)) continue;
      unique.set(`${destination.kind}:${destination.value}`, destination);
    }
  }
  return { destinations: [...unique.values()], isComplete };
}

const BEGINS_AS_JSON = /^\s*[{["]/;

const RECIPIENT_KEY =
  /(?:^|_)(?:to|cc|bcc|recipients?|receivers?|payee|beneficiary|iban|account|e?mail|address(?:es)?|url|uri|endpoint|webhook|host|domain|participants?|attendees?|invitees?|members?|target|destination|phone|number|path|file|filename)(?:$|_)/i;

/** Whether a string consists of little more than the destination: `a@b.example`, `Name <a@b.example>`, `https://b.example/x`. */
function isWhole(text: string, destination: Destination): boolean {
  const trimmed = text.trim();
  if (destination.kind === 'url')
    return !/\s/.test(trimmed) && (/^[a-z]/i.test(trimmed) || !IS_IPV4.test(destination.value));
  return trimmed.length <= destination.value.length * 2 + 24 && !/[.!?]\s/.test(trimmed);
}

/** The normal form of a host. In `example.com.They` the next sentence follows the host. */
function host(text: string): string {
  const ended = /[a-z0-9](\.[A-Z][a-z]*)$/.exec(text);
  return (ended === null ? text : text.slice(0, -(ended[1] ?? '').length))
    .toLowerCase()
    .replace(/^www\./, '')
    .replace(/\.{1,8}$/, '');
}

interface Leaves {
  readonly leaves: readonly { readonly key: string; readonly text: string }[];
  /** Whether no string is missing. */
  readonly isComplete: boolean;
}

/** The strings inside a JSON value, up to a limit, each with its nearest key in snake case. */
function stringLeaves(value: JsonValue | undefined): Leaves {
  const leaves: { key: string; text: string }[] = [];
  const stack: { value: JsonValue | undefined; key: string; depth: number }[] = [{ value, key: '', depth: 0 }];
  let isTooDeep = false;
  while (stack.length > 0 && leaves.length < MAX_STRINGS) {
    const { value: node, key, depth } = stack.pop()!;
    if (typeof node === 'string') leaves.push({ key, text: node });
    else if (node !== null && typeof node === 'object') {
      if (depth >= MAX_DEPTH) {
        isTooDeep = true;
        continue;
      }
      for (const [name, child] of Object.entries(node)) {
        stack.push({ value: child, key: Array.isArray(node) ? key : snakeCase(name), depth: depth + 1 });
      }
    }
  }
  const isLeft = stack.some(
    ({ value: node }) => typeof node === 'string' || (node !== null && typeof node === 'object'),
  );
  return { leaves, isComplete: !isLeft && !isTooDeep };
}

function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[\s.-]+/g, '_');
}
