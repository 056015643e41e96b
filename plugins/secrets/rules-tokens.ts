import type { MatchInfo } from '../../src/core/plugin-api.js';
import { isPlaceholder, looksLikeToken, looksLikeWords, looksRandom } from './randomness.js';
import { anchored, marked, markedBase64, near, nameBefore, type SecretRule } from './rule.js';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** A check for prefixes with which names in code begin as well: the rest must be random letters of both cases, and digits. */
function mixedAfter(prefix: RegExp): (match: string) => boolean {
  return (match) => {
    const value = match.replace(prefix, '');
    return /\d/.test(value) && looksLikeToken(value);
  };
}

/** A check for prefixes of one vendor, whose tokens may have letters of one case only: the rest is random, and has digits. */
function randomAfter(prefix: RegExp): (match: string) => boolean {
  return (match) => {
    const value = match.replace(prefix, '');
    return /\d/.test(value) && !isPlaceholder(value) && looksRandom(value);
  };
}

const SEQUENCE = /^12345|0{5}|abc(?:d|1)|xyz|example|sample/i;

/** A check for the end of an address, which documentation fills with `12345/abcde`. */
function isHook(match: string): boolean {
  const [account = '', hook = ''] = match.split('/').slice(-2);
  return /\d/.test(hook) && !isPlaceholder(hook) && !SEQUENCE.test(account) && !SEQUENCE.test(hook);
}

/** The kind of a token in its prefix: `acme_live_…`, `acme_pat_…`, `acme-api-key-…`. */
const KINDS = ['live', 'prod', 'pat', 'secret', 'api', 'apikey', 'key', 'token', 'sk', 'oat', 'test', 'sandbox'];
const KIND_PREFIX = new RegExp(String.raw`^[a-z][a-z0-9]{1,11}[_-](${KINDS.join('|')})[_-](?:[a-z0-9]{2,8}_)?`);
/** Kinds that denote nothing but tokens: environments and services also have images, buckets and caches with a hash in their names. */
const TOKEN_KINDS = /^(?:live|pat|secret|apikey|token|sk|oat)$/;
/** Of these, the kinds of names with hyphens, as images and services have them. */
const HYPHEN_KINDS = /^(?:pat|apikey|sk|oat)$/;
/** Keys for pages of a shop, ids of its objects, and keys that only find something again. */
const PUBLIC_PREFIX =
  /^(?:pk|pub|publishable|public|client|cs|pi|seti|price|prod|evt|cus|sub|cache|partition|sort|idempotency|etag|primary|foreign|commit|sha\d{0,3}|md5|hash|image|build|page|next|range|shard|routing|dedup\w*|lookup|row|record|object|file|group|index|lock|unique|csrf|xsrf|s3|sync|resume|translation|i18n)[_-]/;
/** The same in the words before. */
const NAMED_PLACE =
  /(?:cache|partition|sort|idempotency|etag|primary|foreign|commit|sha\d{0,3}|images?|tags?|digest|bucket|restored?|hash|checksum|revision|namespace|pod|container|job|branch|release|deployment)(?:[ _-]?(?:key|name|id|from|for|with|hit|miss))?["'\x60]?\s{0,3}[:=]?\s{0,3}["'\x60]?$/i;
const NAME_UNITS = 16;

/**
 * Whether the part after the prefix was generated: letters of both cases and digits; for prefixes of tokens alone, at least 32 hexadecimal
 * digits, or small letters and digits.
 */
function isTokenOfKind(match: string, info: MatchInfo): boolean {
  if (PUBLIC_PREFIX.test(match) || isPlaceholder(match) || NAMED_PLACE.test(nameBefore(info))) return false;
  const [prefix = '', kind = ''] = KIND_PREFIX.exec(match) ?? [];
  const value = match.slice(prefix.length);
  const isToken = (prefix.includes('-') ? HYPHEN_KINDS : TOKEN_KINDS).test(kind);
  if (/^[0-9a-f]+$/i.test(value)) return isToken && value.length >= 32 && looksRandom(value);
  if (!/\d/.test(value) || looksLikeWords(value)) return false;
  if (!isToken && !(/[a-z]/.test(value) && /[A-Z]/.test(value))) return false;
  const parts = value.split(/[_-]+/);
  return (
    parts.some((part) => part.length >= NAME_UNITS && /\d/.test(part) && looksRandom(part)) && looksRandom(value, 3.5)
  );
}

/** Tokens of further services that have a prefix of their own, and tokens of any service whose prefix says that they are tokens. */
export const TOKEN_RULES: readonly SecretRule[] = [
  {
    code: 'ai_service_token',
    title: 'Token of a service for AI: inference, voice, browsers, sandboxes, agents',
    page: 'https://e2b.dev/docs/api-key',
    shapes: [
      marked('e2b_', /e2b_[0-9a-f]{40}/),
      marked('llx-', /llx-[A-Za-z0-9]{40,64}/, { validate: mixedAfter(/^llx-/) }),
      marked('sess-', /sess-[A-Za-z0-9]{40}/, { validate: mixedAfter(/^sess-/) }),
      marked('rpa_', /rpa_[A-Z0-9]{20,50}[A-Za-z0-9]{0,20}/, { validate: randomAfter(/^rpa_/) }),
      marked('sk_car_', /sk_car_[A-Za-z0-9_-]{20,32}/, { validate: mixedAfter(/^sk_car_/) }),
      marked('dtn_', /dtn_[0-9a-f]{64}/),
      marked('luma-', new RegExp(`luma-${UUID}(?:-${UUID})?`)),
      marked('KGAT_', /KGAT_[0-9a-f]{32}/),
      marked('rf_', /rf_[A-Za-z0-9]{20,32}/, { validate: mixedAfter(/^rf_/) }),
      marked('m0-', /m0-[A-Za-z0-9]{40}/, { validate: mixedAfter(/^m0-/) }),
      marked('bu_', /bu_[\w-]{43}/, { validate: mixedAfter(/^bu_/) }),
      marked('ste-', /ste-[A-Za-z0-9]{60,100}/, { validate: mixedAfter(/^ste-/) }),
      marked(['ak-', 'as-'], /a[ks]-[A-Za-z0-9]{22}/, { validate: mixedAfter(/^a[ks]-/) }),
      marked('ak_', /ak_[A-Za-z0-9_-]{20,32}/, { validate: mixedAfter(/^ak_/) }),
      marked('sk_', /sk_[A-Za-z0-9_-]{43}/, { validate: mixedAfter(/^sk_/), score: 0.85 }),
      marked(['app-', 'dataset-'], /(?:app|dataset)-[A-Za-z0-9]{24}/, {
        validate: mixedAfter(/^(?:app|dataset)-/),
        score: 0.8,
      }),
      marked('pat_', /pat_[A-Za-z0-9]{60,70}/, { validate: mixedAfter(/^pat_/) }),
      marked('BSA', /BSA[\w-]{28}/, { validate: mixedAfter(/^BSA/), score: 0.8 }),
      marked('bce-v3/', /bce-v3\/ALTAK-[A-Za-z0-9]{21}\/[0-9a-f]{40}/),
      anchored('key_', /(?<![\w./-])key_[0-9a-f]{100,128}(?![\w-])/),
      near(['zhipu*', 'bigmodel*', 'zai*', 'z.ai', 'glm*'], /[0-9a-f]{32}\.[A-Za-z0-9]{16}/),
      anchored('tid=', /(?<![A-Za-z0-9])tid=[0-9a-f]{32};exp=\d{10};[^\s"']{20,600}/),
    ],
  },
  {
    code: 'developer_service_token',
    title: 'Token of a service for developers: builds, scans, logs, packages, jobs',
    page: 'https://docs.github.com/code-security/reference/secret-security/supported-secret-scanning-patterns',
    shapes: [
      marked('signkey-', /signkey-(?:prod|test|branch|dev)-[0-9a-f]{32,64}/),
      marked('tr_', /tr_(?:prod|dev|stg|preview|pat)_[A-Za-z0-9]{20,48}/, { validate: mixedAfter(/^tr_[a-z]+_/) }),
      anchored(
        ['prod:', 'dev:', 'preview:'],
        /(?<![A-Za-z0-9])(?:prod|dev|preview):[a-z0-9]{2,20}-[a-z0-9]{2,20}-\d{1,4}\|[A-Za-z0-9+/=]{40,400}(?![A-Za-z0-9+/=])/,
      ),
      marked('nbp_', /nbp_[A-Za-z0-9]{36}/, { validate: mixedAfter(/^nbp_/) }),
      marked('sktsec_', /sktsec_[\w-]{30,80}/, { validate: randomAfter(/^sktsec_/) }),
      marked(['xaat-', 'xapt-'], new RegExp(`xa[ap]t-${UUID}`)),
      marked('pylf_v', /pylf_v\d_(?:[a-z]{2}_)?[A-Za-z0-9]{40,64}/, {
        validate: mixedAfter(/^pylf_v\d_(?:[a-z]{2}_)?/),
      }),
      marked(['sntrya_', 'sntryi_'], /sntry[ai]_[0-9a-f]{64}/),
      marked('bkat_', /bkat_[A-Za-z0-9]{40}/, { validate: randomAfter(/^bkat_/) }),
      anchored(['pat.', 'sat.'], /(?<![\w.])[ps]at\.[\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}(?![\w.])/),
      markedBase64('ptr_', /ptr_[A-Za-z0-9+/]{43}=/, { validate: mixedAfter(/^ptr_/) }),
      marked('rootly_', /rootly_[0-9a-f]{64}/),
      marked('spu-', /spu-[0-9a-f]{32}/),
      marked('fhb-', /fhb-[0-9a-f]{64}/),
      marked('ovsxat_', new RegExp(`ovsxat_${UUID}`)),
      marked(['ddp_', 'ddw_', 'ddo_'], /dd[pwo]_[A-Za-z0-9]{36}/, { validate: mixedAfter(/^dd[pwo]_/) }),
      marked(['jsrd_', 'jsrp_'], /jsr[dp]_[A-Za-z0-9]{32,40}/, { validate: mixedAfter(/^jsr[dp]_/) }),
      marked('packagist_', /packagist_[a-z]{0,4}_?[0-9a-f]{60,68}/),
      marked('csb_v1_', /csb_v1_[\w-]{43}/, { validate: mixedAfter(/^csb_v1_/) }),
      marked('pypi-AgENdGVzd', /pypi-AgENdGVzdC5weXBpLm9yZ[\w-]{50,400}/),
      marked('cmVmdGtu', /cmVmdGtu[A-Za-z0-9]{56}/),
      anchored('kubeconfig-u', /(?<![A-Za-z0-9])kubeconfig-u[\w.-]{5,60}:[a-z0-9]{54}(?![A-Za-z0-9])/),
      anchored('eyJ0eXAiOiAiVENWMiJ9', /(?<![A-Za-z0-9])eyJ0eXAiOiAiVENWMiJ9\.[\w-]{20,60}\.[\w-]{30,80}/),
      near('infisical*', /st\.[0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}/),
      near(['bitwarden*', 'bws*'], new RegExp(`0\.${UUID}\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}==`)),
      // The secret half of an AppRole of Vault, after the other half: elsewhere the name denotes the place of a secret.
      near(
        ['approle*', 'role_id', 'roleid', 'hashicorp*'],
        new RegExp(`secret_id["']?\\s{0,3}[:=]\\s{0,3}["']?(${UUID})`, 'i'),
        {
          group: 1,
          score: 0.85,
        },
      ),
      near(['railway*'], new RegExp(UUID)),
    ],
  },
  {
    code: 'data_service_token',
    title: 'Token of a service for data or communication: databases, mail, calls, chat',
    page: 'https://www.elastic.co/docs/deploy-manage/api-keys/elastic-cloud-api-keys',
    shapes: [
      markedBase64('essu_', /essu_[A-Za-z0-9+/]{40,120}={0,2}/, { validate: mixedAfter(/^essu_/) }),
      marked('CCDB1_', /CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}/),
      marked('xau_', /xau_[A-Za-z0-9]{32,64}/, { validate: mixedAfter(/^xau_/) }),
      marked(['fnAE', 'fnAF'], /fnA[EF][\w-]{36,48}/, { validate: mixedAfter(/^fnA[EF]/) }),
      marked('mlsn.', /mlsn\.[0-9a-f]{64}/),
      marked('secret-', /secret-(?:live|test)-[\w-]{30,60}/, { validate: mixedAfter(/^secret-(?:live|test)-/) }),
      marked('syt_', /syt_[A-Za-z0-9+/=]{2,120}_[A-Za-z]{20}_[A-Za-z0-9]{6}/, {
        validate: (match) => looksLikeToken(match.slice(-27, -7)),
      }),
      marked('xwfp-', /xwfp-[A-Za-z0-9-]{40,200}/, { validate: randomAfter(/^xwfp-/) }),
      anchored('1000.', /(?<![\w.])1000\.[0-9a-f]{32}\.[0-9a-f]{32}(?![\w.])/),
      anchored('hooks.zapier.com', /hooks\.zapier\.com\/hooks\/catch\/\d{5,12}\/[A-Za-z0-9]{6,12}(?![\w-])/, {
        validate: isHook,
      }),
      anchored('.make.com/', /(?<![A-Za-z0-9])hook\.[a-z]{2}\d\.make\.com\/[a-z0-9]{30,36}(?![\w-])/, {
        before: 8,
        validate: randomAfter(/^.*\//),
      }),
      anchored('quiknode.pro/', /(?<=[a-z0-9-]\.)quiknode\.pro\/([0-9a-f]{40})(?![0-9a-f])/, { group: 1 }),
      anchored('oauth:', /(?<![A-Za-z0-9])oauth:[a-z0-9]{30}(?![A-Za-z0-9])/, { validate: randomAfter(/^oauth:/) }),
    ],
  },
  {
    code: 'commerce_token',
    title: 'Token of a shop, a marketplace, an advertising or a social network',
    page: 'https://developer-docs.amazon.com/sp-api/docs/connecting-to-the-selling-partner-api',
    shapes: [
      marked('amzn1.oa2-cs.', /amzn1\.oa2-cs\.v\d\.[0-9a-f]{64}/),
      anchored(['Atzr|', 'Atza|'], /(?<![A-Za-z0-9])Atz[ra]\|[\w-]{60,2048}(?![\w-])/),
      marked(['pdl_live_', 'pdl_sdbx_'], /pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9_]{20,30}/),
      marked('polar_', /polar_[a-z]{2,4}_[A-Za-z0-9]{40,48}/, { validate: mixedAfter(/^polar_[a-z]+_/) }),
      marked('IGQV', /IGQV[A-Za-z0-9_-]{100,400}/, { validate: mixedAfter(/^IGQV/) }),
      marked('THAA', /THAA[A-Za-z0-9]{100,400}/, { validate: mixedAfter(/^THAA/) }),
      anchored('WPL_AP', /(?<![A-Za-z0-9])WPL_AP\d\.[A-Za-z0-9]{14,20}\.[A-Za-z0-9+/]{6,12}={0,2}/),
      marked('vk1.a.', /vk1\.a\.[\w-]{80,400}/, { validate: mixedAfter(/^vk1\.a\./) }),
      marked('y0_', /y0_[\w-]{50,80}/, { validate: mixedAfter(/^y0_/) }),
      anchored('pk_', /(?<![\w./-])pk_[0-9a-f]{34}(?![\w-])/),
      anchored(['live_', 'test_'], /(?<![\w./-])(?:live|test)_[0-9a-f]{35}(?![\w-])/),
      marked('0x4AAAAAA', /0x4AAAAAA[\w-]{24,28}/, { validate: mixedAfter(/^0x4A+/) }),
    ],
  },
  {
    code: 'prefixed_token',
    title: 'Token whose prefix says that it is one, of any service',
    page: 'https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/',
    shapes: [
      anchored(
        KINDS.flatMap((kind) => [`_${kind}_`, `-${kind}-`]),
        new RegExp(
          String.raw`(?<![\w./-])[a-z][a-z0-9]{1,11}(?:_(?:${KINDS.join('|')})_|-(?:${KINDS.join('|')})-)[A-Za-z0-9][A-Za-z0-9_-]{23,199}(?![\w/.=-])`,
        ),
        { before: 12, score: 0.75, validate: isTokenOfKind },
      ),
    ],
  },
];
