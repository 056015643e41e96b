import type { DetectorExample } from '../../src/core/plugin-api.js';
import { base62OfCrc, crc32 } from './crc32.js';
import { sampleOf, seeded } from './regex-sample.js';
import type { SecretRule, Shape } from './rule.js';

const ATTEMPTS = 200;

/**
 * One example per rule, generated from its own pattern with a fixed seed: the repository contains no complete credential, and none was
 * ever valid.
 */
export function secretExamples(rules: readonly SecretRule[]): DetectorExample<string>[] {
  return rules.map((rule, index) => BY_HAND[rule.code]?.(rule.code) ?? exampleOf(rule, index + 1));
}

function exampleOf(rule: SecretRule, seed: number): DetectorExample<string> {
  for (const shape of rule.shapes) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      for (const prefix of prefixesOf(shape)) {
        const example = tryExample(rule, shape, { random: seeded(seed * 1_000 + attempt), prefix });
        if (example !== undefined) return example;
      }
    }
  }
  throw new RangeError(`no sample for ${rule.code}`);
}

/** The text before a value: for a value near a word, that word, alone or with a name that makes it a credential. */
function prefixesOf({ trigger, context }: Shape): string[] {
  if (trigger.on !== 'context') return ['value: '];
  const word = (context?.words[0] ?? '').replace('*', '');
  return [`${word}: `, `${word} key: `];
}

function tryExample(
  rule: SecretRule,
  shape: Shape,
  { random, prefix }: { readonly random: () => number; readonly prefix: string },
): DetectorExample<string> | undefined {
  const sample = sampleOf(shape.regex, random);
  const text = `${prefix}${sample.text} .`;
  const [from, to] = shape.group === undefined ? [0, sample.text.length] : (sample.groups[shape.group] ?? [0, 0]);
  const [start, end] = [from + prefix.length, to + prefix.length];
  const match = new RegExp(shape.regex.source, `${shape.regex.flags.replace('y', '')}g`);
  match.lastIndex = prefix.length;
  const found = match.exec(text);
  if (found?.index !== prefix.length || found[shape.group ?? 0] !== text.slice(start, end)) return undefined;
  const info = { text, start, end, inContext: true, groups: found };
  if (shape.validate !== undefined && shape.validate(text.slice(start, end), info) === false) return undefined;
  return { text, finds: [{ code: rule.code, text: text.slice(start, end) }], why: rule.title };
}

const letters = (count: number, seed: number): string =>
  sampleOf(new RegExp(`[A-Za-z0-9]{${count}}`), seeded(seed)).text;

/** Examples of rules whose text must fulfil conditions beyond the pattern, such as a checksum. */
const BY_HAND: Readonly<Record<string, (code: string) => DetectorExample<string>>> = {
  weir_key: (code) => {
    const body = `sk_test_wr1_${letters(44, 1)}`;
    const key = body + base62OfCrc(crc32(body));
    return {
      text: `Authorization: Bearer ${key}`,
      finds: [{ code, text: key }],
      why: 'Key of this service with its checksum',
    };
  },
  private_key: (code) => {
    const block = [
      '-----BEGIN',
      ` PRIVATE KEY-----\n${letters(64, 2)}\n${letters(30, 3)}==\n-----END`,
      ' PRIVATE KEY-----',
    ].join('');
    return { text: `key:\n${block}\n`, finds: [{ code, text: block }], why: 'A whole PEM block' };
  },
  jwt: (code) => {
    const token = ['ey', 'J', letters(34, 4), '.ey', 'J', letters(60, 5), '.', letters(43, 6)].join('');
    return { text: `cookie session=${token}; path=/`, finds: [{ code, text: token }], why: 'JSON Web Token' };
  },
  url_credentials: (code) => {
    const url = ['postgres', '://', 'app:', letters(14, 7), '@db.internal:5432/main'].join('');
    return { text: `DATABASE_URL=${url}`, finds: [{ code, text: url }], why: 'Password in a connection string' };
  },
  basic_auth: (code) => {
    const value = letters(28, 8);
    return { text: `Authorization: Basic ${value}==`, finds: [{ code, text: `${value}==` }], why: 'HTTP Basic header' };
  },
  azure_sas_token: (code) => {
    const value = `${letters(43, 11)}%3D`;
    const text = `https://store.blob.core.windows.net/c?sv=2024-01-01&sig=${value}`;
    return { text, finds: [{ code, text: value }], why: 'Signature of a shared access URL' };
  },
  signed_url: (code) => {
    const value = sampleOf(/[0-9a-f]{64}/, seeded(12)).text;
    const text = `https://files.s3.amazonaws.com/a?X-Amz-Expires=60&X-Amz-Signature=${value}`;
    return { text, finds: [{ code, text: value }], why: 'Signature of an address of S3' };
  },
  bearer_token: (code) => {
    const value = letters(40, 9);
    return { text: `-H "Authorization: Bearer ${value}"`, finds: [{ code, text: value }], why: 'HTTP Bearer header' };
  },
  generic_secret: (code) => {
    const value = letters(32, 10);
    return { text: `internal_api_key = "${value}"`, finds: [{ code, text: value }], why: 'A name and a random value' };
  },
  password: (code) => {
    const value = ['Winter', 'time', '!', '2031'].join('');
    return {
      text: `password: ${value}`,
      finds: [{ code, text: value }],
      why: 'Only found when the code is switched on',
    };
  },
};
