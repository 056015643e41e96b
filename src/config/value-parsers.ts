/** Parsers of single setting values. Each returns the value or an error message that never contains the input. */
import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { readPublicKey, type TrustedKey } from '../bundles/index.js';
import type { RateLimit } from './app-config.js';

export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export interface ParseContext {
  /** Absolute folder from which relative paths are resolved. */
  readonly baseDir: string;
}

/** The form of a value, described for people, and its parser. */
export interface ValueType<T> {
  readonly form: string;
  readonly parse: (text: string, context: ParseContext) => Parsed<T>;
}

const good = <T>(value: T): Parsed<T> => ({ ok: true, value });
const bad = (problem: string): { ok: false; problem: string } => ({ ok: false, problem });

/** A decimal whole number within a range, both ends included. */
export function wholeNumber(min: number, max: number): ValueType<number> {
  const problem = `must be a whole number from ${min} to ${max}`;
  return {
    form: `whole number, ${min} to ${max}`,
    parse: (text) => {
      if (!/^\d{1,15}$/.test(text)) return bad(problem);
      const value = Number(text);
      return value >= min && value <= max ? good(value) : bad(problem);
    },
  };
}

/** A part of the whole: a decimal number from 0 to 1. */
export function share(): ValueType<number> {
  return {
    form: 'number from 0 to 1',
    parse: (text) =>
      /^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/.test(text) ? good(Number(text)) : bad('must be a number from 0 to 1'),
  };
}

/** A whole number, or `auto`. */
export function wholeNumberOrAuto(min: number, max: number): ValueType<number | 'auto'> {
  const number = wholeNumber(min, max);
  return {
    form: `${number.form}, or \`auto\``,
    parse: (text, base) => {
      if (text === 'auto') return good('auto');
      const parsed = number.parse(text, base);
      return parsed.ok ? parsed : bad(`must be a whole number from ${min} to ${max}, or auto`);
    },
  };
}

/** `on` or `off`; `true` and `false` are also accepted. */
export function onOff(): ValueType<boolean> {
  return {
    form: '`on` or `off`',
    parse: (text) => {
      if (text === 'on' || text === 'true') return good(true);
      if (text === 'off' || text === 'false') return good(false);
      return bad('must be on or off');
    },
  };
}

/** A sender address of mail, without a display name, blanks or quotes. */
export function mailAddress(): ValueType<string> {
  return {
    form: 'e-mail address',
    parse: (text) =>
      /^[^\s\p{Cc}"(),:;<>@[\]\\]{1,64}@[A-Za-z0-9.-]{1,253}$/u.test(text)
        ? good(text)
        : bad('must be an e-mail address'),
  };
}

/** One word of a closed list. */
export function oneOf<const Word extends string>(words: readonly Word[]): ValueType<Word> {
  return {
    form: words.map((word) => `\`${word}\``).join(', '),
    parse: (text) => {
      const found = words.find((word) => word === text);
      return found === undefined ? bad(`must be one of ${words.join(', ')}`) : good(found);
    },
  };
}

const DURATION_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A duration such as `500ms`, `30s` or `10m`, as milliseconds. */
export function duration(minMs: number, maxMs: number): ValueType<number> {
  return {
    form: 'duration such as `500ms`, `30s`, `10m`',
    parse: (text) => {
      const match = /^(\d{1,9})(ms|s|m|h)$/.exec(text);
      if (!match) return bad('must be a duration such as 500ms, 30s or 10m');
      const valueMs = Number(match[1]) * (DURATION_UNITS[match[2] ?? ''] ?? Number.NaN);
      return valueMs >= minMs && valueMs <= maxMs ? good(valueMs) : bad(`must be from ${minMs} ms to ${maxMs} ms`);
    },
  };
}

const DAY_MS = 86_400_000;

/** Whole days such as `90d`, as policies write them, as milliseconds. */
export function days(min: number, max: number): ValueType<number> {
  return {
    form: 'days such as `90d`',
    parse: (text) => {
      const count = Number(/^(\d{1,5})d$/.exec(text)?.[1] ?? Number.NaN);
      return count >= min && count <= max
        ? good(count * DAY_MS)
        : bad(`must be days such as 90d, from ${min}d to ${max}d`);
    },
  };
}

/** The destination of archived files: a bucket with an optional prefix, or a directory. */
export type ArchivePlace =
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string }
  | { readonly kind: 'directory'; readonly path: string };

/** `s3://bucket/prefix`, or the path of a directory. */
export function archivePlace(): ValueType<ArchivePlace> {
  const directory = path();
  return {
    form: '`s3://bucket/prefix`, or the path of a directory',
    parse: (text, context) => {
      if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) {
        const parsed = directory.parse(text, context);
        return parsed.ok ? good({ kind: 'directory', path: parsed.value }) : parsed;
      }
      const [, bucket, prefix = ''] =
        /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w.~/-]{0,500}))?$/.exec(text) ?? [];
      if (bucket === undefined) return bad('must be s3://bucket/prefix, or the path of a directory');
      const folder = prefix.replace(/\/+$/, '');
      return good({ kind: 's3', bucket, prefix: folder === '' ? '' : `${folder}/` });
    },
  };
}

const SIZE_UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2 };

/** A size such as `512KiB` or `32MiB`, or plain bytes, as bytes. */
export function byteSize(minBytes: number, maxBytes: number): ValueType<number> {
  return {
    form: 'size such as `512KiB` or `32MiB`, or bytes',
    parse: (text) => {
      const match = /^(\d{1,12})(B|KiB|MiB)?$/.exec(text);
      if (!match) return bad('must be a size such as 512KiB or 32MiB, or a number of bytes');
      const bytes = Number(match[1]) * (SIZE_UNITS[match[2] ?? 'B'] ?? Number.NaN);
      return bytes >= minBytes && bytes <= maxBytes
        ? good(bytes)
        : bad(`must be from ${minBytes} to ${maxBytes} bytes`);
    },
  };
}

/** A secret that is long enough not to be guessed. */
export function secretText(minLength: number): ValueType<string> {
  const length = `at least ${minLength} ${minLength === 1 ? 'character' : 'characters'}`;
  return {
    form: length,
    parse: (text) =>
      text.length >= minLength && !/\p{Cc}/u.test(text)
        ? good(text)
        : bad(`must be ${length} long, without control characters`),
  };
}

/** An identifier from another service. */
export function identifier(): ValueType<string> {
  return {
    form: 'letters, digits and `_`',
    parse: (text) => (/^\w{1,128}$/.test(text) ? good(text) : bad('must consist of letters, digits and _')),
  };
}

/** `<requests>/<seconds>` or `off`. */
export function rate(): ValueType<RateLimit | 'off'> {
  return {
    form: '`<requests>/<seconds>`, or `off`',
    parse: (text) => {
      if (text === 'off') return good('off');
      const match = /^(\d{1,9})\/(\d{1,6})$/.exec(text);
      const limit = Number(match?.[1]);
      const windowSeconds = Number(match?.[2]);
      if (!match || limit < 1 || windowSeconds < 1) return bad('must be <requests>/<seconds>, such as 120/60, or off');
      return good({ limit, windowSeconds });
    },
  };
}

/** A path, made absolute. */
export function path(): ValueType<string> {
  return {
    form: 'path',
    parse: (text, context) => (text.includes('\0') ? bad('must be a path') : good(resolve(context.baseDir, text))),
  };
}

/** A URL of one of the schemes, kept as written (it may hold a password). */
export function connectionUrl(...schemes: readonly string[]): ValueType<string> {
  const shown = schemes.map((scheme) => `${scheme}://`).join(' or ');
  return {
    form: `URL, ${shown}…`,
    parse: (text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      const known = url !== undefined && schemes.some((scheme) => url.protocol === `${scheme}:`);
      return known && text.includes('://') ? good(text) : bad(`must be a URL that starts with ${shown}`);
    },
  };
}

/** An http(s) URL without credentials, query or fragment; a trailing slash is dropped. */
export function baseUrl(): ValueType<string> {
  const problem = 'must be an http:// or https:// URL without credentials, query or fragment';
  return {
    form: 'URL, http:// or https://',
    parse: (text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url === undefined || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text)) return bad(problem);
      if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return bad(problem);
      return good(url.origin + url.pathname.replace(/\/+$/, ''));
    },
  };
}

/** Like `baseUrl`; a trailing `/v1` is also dropped, because the client's path contains it. */
export function upstreamUrl(): ValueType<string> {
  const base = baseUrl();
  return {
    form: base.form,
    parse: (text, context) => {
      const parsed = base.parse(text, context);
      return parsed.ok ? good(parsed.value.replace(/\/v1$/, '')) : parsed;
    },
  };
}

/** An address to listen on: an IP address or a host name. */
export function hostName(): ValueType<string> {
  return {
    form: 'IP address or host name',
    parse: (text) =>
      ipaddr.isValid(text) || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(text)
        ? good(text)
        : bad('must be an IP address or a host name'),
  };
}

/** A bare npm name, scoped or not: never a path or a URL. https://docs.npmjs.com/cli/configuring-npm/package-json#name */
const PACKAGE_NAME = /^(?:@[a-z0-9][a-z0-9._~-]{0,100}\/)?[a-z0-9][a-z0-9._~-]{0,200}$/;

/** Comma-separated npm package names. */
export function packageNames(): ValueType<readonly string[]> {
  return {
    form: 'npm package names, comma-separated',
    parse: (text) => {
      const names = text.split(',').map((name) => name.trim());
      return names.every((name) => PACKAGE_NAME.test(name))
        ? good(names)
        : bad('must be npm package names, separated by commas');
    },
  };
}

/** A header's name in lower case (RFC 9110, section 5.1), with `*` at its end for all names with that prefix. */
const HEADER_NAME = /^[a-z0-9!#$%&'+.^_`|~-]{1,100}\*?$/;

/** Comma-separated header names; returned in lower case. */
export function headerNames(): ValueType<readonly string[]> {
  return {
    form: 'header names, comma-separated; `x-team-*` for a family',
    parse: (text) => {
      const names = text.split(',').map((name) => name.trim().toLowerCase());
      return names.every((name) => HEADER_NAME.test(name))
        ? good(names)
        : bad('must be header names, separated by commas, each with at most one * at its end');
    },
  };
}

/** `name=value` pairs, separated by commas; undefined for another format or a repeated name. */
function namedValues(text: string): ReadonlyMap<string, string> | undefined {
  const pairs = text.split(',').map((pair) => /^([a-z][a-z0-9-]{0,40})=(\S+)$/.exec(pair.trim()));
  const values = new Map(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1]!, pair[2]!]])));
  return values.size === pairs.length ? values : undefined;
}

/** Comma-separated `name=URL`. */
export function namedUrls(): ValueType<ReadonlyMap<string, string>> {
  const problem = 'must be name=URL pairs such as presidio=http://127.0.0.1:5002, separated by commas';
  const url = baseUrl();
  return {
    form: '`name=URL`, comma-separated',
    parse: (text, context) => {
      const values = namedValues(text);
      if (values === undefined) return bad(problem);
      const urls = new Map<string, string>();
      for (const [name, value] of values) {
        const parsed = url.parse(value, context);
        if (!parsed.ok) return bad(problem);
        urls.set(name, parsed.value);
      }
      return good(urls);
    },
  };
}

/** Comma-separated `name=token`; a token contains no comma and no space. */
export function namedTokens(): ValueType<ReadonlyMap<string, string>> {
  return {
    form: '`name=token`, comma-separated',
    parse: (text) => {
      const values = namedValues(text);
      const printable = values !== undefined && [...values.values()].every((token) => /^[!-~]+$/.test(token));
      return printable ? good(values) : bad('must be name=token pairs, separated by commas');
    },
  };
}

/** Comma-separated `name=key`: Ed25519 public keys, SPKI in base64 (RFC 8410). */
export function publicKeys(): ValueType<readonly TrustedKey[]> {
  return {
    form: '`name=key`, comma-separated',
    parse: (text) => {
      const keys = [...(namedValues(text) ?? [])].map(([name, value]) => readPublicKey(name, value));
      const read = keys.filter((key) => key !== undefined);
      return read.length > 0 && read.length === keys.length
        ? good(read)
        : bad('must be name=key pairs, separated by commas, each key an Ed25519 public key (SPKI) in base64');
    },
  };
}

/** Comma-separated origins: scheme, host and port, such as `http://minio:9000`. */
export function origins(): ValueType<readonly string[]> {
  return {
    form: 'origins such as `http://minio:9000`, comma-separated',
    parse: (text) => {
      const urls = text.split(',').map((entry) => URL.parse(entry.trim()));
      const read = urls.flatMap((url) =>
        url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? [url.origin] : [],
      );
      return read.length === urls.length
        ? good(read)
        : bad('must be origins such as http://minio:9000, separated by commas, with nothing after the port');
    },
  };
}

/** Comma-separated IP addresses and CIDR networks. */
export function networks(): ValueType<readonly string[]> {
  return {
    form: 'IP addresses and CIDR networks, comma-separated',
    parse: (text) => {
      const entries = text.split(',').map((entry) => entry.trim());
      const valid = entries.every((entry) => ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry));
      return valid ? good(entries) : bad('must be IP addresses or CIDR networks, separated by commas');
    },
  };
}
