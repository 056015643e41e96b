import { isPlaceholder, looksLikeWords, looksRandom } from './randomness.js';
import { anchored, marked, near, nearNamed, unlessWords, type SecretRule } from './rule.js';

const UUID = /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/;
const WISE_TOKEN = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{7,12}(?:-\d{4})?/;

const PROJECT_SECRET = /[0-9a-zA-Z_-]{32,64}/;

const CHAIN_VENDORS = ['infura', 'moralis', 'alchemy', 'tatum', 'tatumio', 'glassnode'];
/** The text between a name and its value. */
const ASSIGNED = String.raw`["']?\s{0,3}(?:=>?|:)\s{0,3}["']?`;

/** Words that announce a vendor's credential. The vendor's name alone can have another meaning or precede any id. */
function credentialsOf(...vendors: readonly string[]): string[] {
  const named = ['key*', 'token*', 'secret*', 'api*', 'project*', 'app*', 'auth*'];
  return vendors.flatMap((vendor) => named.map((name) => `${vendor} ${name}`));
}

/** Whether a value after `live_` or `test_` is random, and not the name of a test. */
function isMollieKey(match: string): boolean {
  const value = match.slice(match.indexOf('_') + 1);
  return /\d/.test(value) && /[A-Z]/.test(value) && new Set(match).size > 14 && !looksLikeWords(value);
}

/** Payment, shops, banking and crypto. */
export const PAYMENT_RULES: readonly SecretRule[] = [
  {
    code: 'stripe_secret_key',
    title: 'Stripe secret or restricted key',
    page: 'https://docs.stripe.com/keys',
    shapes: [
      marked(
        ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_', 'sk_prod_', 'rk_prod_'],
        /[rs]k_(?:live|test|prod)_[A-Za-z0-9]{10,247}/,
      ),
      marked(['sk_org_', 'rk_org_'], /[rs]k_org_(?:live_|test_)?[A-Za-z0-9]{20,247}/, {
        validate: unlessWords(/^[rs]k_org_(?:live_|test_)?/),
      }),
    ],
  },
  {
    code: 'stripe_webhook_secret',
    title: 'Stripe webhook signing secret',
    page: 'https://docs.stripe.com/webhooks/signature',
    shapes: [marked('whsec_', /whsec_[A-Za-z0-9+/]{24,64}={0,2}/)],
  },
  {
    code: 'square_token',
    title: 'Square token or secret',
    page: 'https://developer.squareup.com/docs/build-basics/access-tokens',
    shapes: [
      marked(['sq0atp-', 'sq0csp-', 'sq0idp-'], /sq0(?:atp|csp|idp)-[\w-]{22,60}/),
      marked('EAAA', /EAAA[\w-]{60}/),
    ],
  },
  {
    code: 'paypal_secret',
    title: 'PayPal or Braintree credential',
    page: 'https://developer.paypal.com/api/rest/authentication/',
    shapes: [
      marked('access_token$', /access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}/),
      near(['paypal*', 'braintree*'], /(?:E[A-Za-z0-9_-]{79}|[a-f0-9]{32})/),
    ],
  },
  {
    code: 'plaid_secret',
    title: 'Plaid secret or token',
    page: 'https://plaid.com/docs/quickstart/',
    shapes: [
      marked(
        'access-',
        /access-(?:sandbox|development|production)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/,
      ),
      nearNamed('plaid*', /(?:[a-z0-9]{30}|[a-z0-9]{24})/),
    ],
  },
  {
    code: 'adyen_api_key',
    title: 'Adyen API key',
    page: 'https://docs.adyen.com/development-resources/api-credentials/',
    shapes: [marked('AQE', /AQE[A-Za-z0-9+/]{3,20}[A-Za-z0-9+/=]{30,200}-[A-Za-z0-9+/=]{30,100}-[\x21-\x7e]{8,40}/)],
  },
  {
    code: 'razorpay_key',
    title: 'Razorpay, PayMongo, Instamojo or Pagar.me key',
    page: 'https://razorpay.com/docs/payments/dashboard/account-settings/api-keys/',
    shapes: [
      marked('rzp_', /rzp_(?:live|test)_[A-Za-z0-9]{14}/),
      near(
        ['razorpay*', 'instamojo*', 'pagarme*', 'paymongo*', 'wepay*'],
        /(?:ak_(?:live|test)_)?[A-Za-z0-9_.-]{24,60}/,
      ),
    ],
  },
  {
    code: 'mollie_api_key',
    title: 'Mollie or GoCardless key',
    page: 'https://docs.mollie.com/reference/authentication',
    shapes: [
      marked(['live_', 'test_', 'sandbox_'], /(?<!pk_)(?:live|test|sandbox)_[A-Za-z0-9_-]{30,42}/, {
        validate: (match) => (isMollieKey(match) ? 0.6 : false),
      }),
      near(['gocardless*', 'mollie*'], /(?:live|test|sandbox)_[A-Za-z0-9_=-]{24,42}/),
    ],
  },
  {
    code: 'flutterwave_key',
    title: 'Flutterwave key',
    page: 'https://developer.flutterwave.com/docs/api-keys',
    shapes: [marked(['FLWSECK', 'FLWPUBK'], /FLW(?:PUB|SEC)K_?(?:TEST)?-?[a-hA-H0-9]{12,32}(?:-X)?/)],
  },
  {
    code: 'paystack_key',
    title: 'Paystack secret key',
    page: 'https://paystack.com/docs/api/authentication/',
    shapes: [near('paystack*', /sk_[A-Za-z]{1,8}_[A-Za-z0-9]{40}/)],
  },
  {
    code: 'finicity_token',
    title: 'Finicity token or client secret',
    page: 'https://developer.mastercard.com/open-finance-us/documentation/',
    shapes: [near('finicity*', /(?:[a-f0-9]{32}|[a-z0-9]{20})/)],
  },
  {
    code: 'wise_token',
    title: 'Wise token',
    page: 'https://docs.wise.com/api-docs/features/authentication-access/personal-tokens',
    shapes: [near('transferwise*', WISE_TOKEN), nearNamed('wise*', WISE_TOKEN)],
  },
  {
    code: 'shopify_token',
    title: 'Shopify token or shared secret',
    page: 'https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens',
    shapes: [
      marked(
        ['shpat_', 'shpca_', 'shppa_', 'shpss_', 'shptka_', 'shpua_'],
        /shp(?:at|ca|pa|ss|tka|ua)_[A-Za-z0-9]{32,64}/,
      ),
    ],
  },
  {
    code: 'shippo_token',
    title: 'Shippo token',
    page: 'https://docs.goshippo.com/docs/guides_general/authentication/',
    shapes: [marked('shippo_', /shippo_(?:live|test)_[a-f0-9]{40}/)],
  },
  {
    code: 'easypost_token',
    title: 'EasyPost API key',
    page: 'https://docs.easypost.com/docs/authentication',
    shapes: [marked(['EZAK', 'EZTK'], /EZ[AT]K[A-Za-z0-9]{54}/)],
  },
  {
    code: 'duffel_token',
    title: 'Duffel token',
    page: 'https://duffel.com/docs/api/overview/test-mode',
    shapes: [marked('duffel_', /duffel_(?:test|live)_[A-Za-z0-9_=-]{43}/)],
  },
  {
    code: 'lemonsqueezy_key',
    title: 'Gumroad, Etsy or Squarespace key',
    page: 'https://docs.lemonsqueezy.com/api/getting-started/requests',
    shapes: [near(['gumroad*', 'etsy*'], /(?:[a-z0-9]{24}|[A-Za-z0-9_-]{43})/), near('squarespace*', UUID)],
  },
  {
    code: 'coinbase_key',
    title: 'Coinbase key',
    page: 'https://docs.cdp.coinbase.com/get-started/authentication/overview',
    shapes: [near('coinbase*', /[A-Za-z0-9_-]{64}/)],
  },
  {
    code: 'kraken_key',
    title: 'Kraken key',
    page: 'https://docs.kraken.com/api/docs/guides/spot-rest-auth',
    shapes: [near('kraken*', /[A-Za-z0-9/=+_-]{80,90}/)],
  },
  {
    code: 'kucoin_key',
    title: 'KuCoin key',
    page: 'https://www.kucoin.com/docs-new/authentication',
    shapes: [near('kucoin*', /[a-f0-9]{24}/), near('kucoin*', UUID)],
  },
  {
    code: 'binance_key',
    title: 'Binance, Bittrex, Bitfinex or BitMEX key',
    page: 'https://developers.binance.com/docs/binance-spot-api-docs/rest-api',
    shapes: [
      near(
        ['binance*', 'bittrex*', 'bitfinex*', 'bitmex*', 'bscscan*', 'etherscan*', 'luno*'],
        /(?:[A-Za-z0-9]{64}|[A-Za-z0-9_-]{43,48}|[A-Z0-9]{34}|[a-z0-9]{32}|[A-Za-z0-9_-]{24})/,
      ),
    ],
  },
  {
    code: 'freemius_key',
    title: 'Freemius secret key',
    page: 'https://freemius.com/help/documentation/wordpress-sdk/integrating-freemius-sdk/',
    shapes: [
      anchored('secret_key', /["']secret_key["']\s{0,4}=>\s{0,4}["'](sk_[\x21-\x26\x28-\x7e]{29})["']/, {
        group: 1,
        before: 1,
      }),
    ],
  },
  {
    code: 'infura_key',
    title: 'Infura, Alchemy or Moralis project secret',
    page: 'https://docs.metamask.io/services/get-started/infura/',
    shapes: [
      anchored('infura.io/', /infura\.io\/(?:ws\/)?v3\/([0-9a-f]{32})/, { group: 1 }),
      anchored('alchemy.com/', /alchemy\.com\/(?:nft\/)?v[23]\/([0-9a-zA-Z_-]{32})(?![0-9a-zA-Z_-])/, { group: 1 }),
      anchored(
        CHAIN_VENDORS,
        new RegExp(`(?:${CHAIN_VENDORS.join('|')})${ASSIGNED}(${PROJECT_SECRET.source})(?![\\w-])`, 'i'),
        {
          group: 1,
          score: 0.9,
          validate: (match) => !isPlaceholder(match) && looksRandom(match),
        },
      ),
      near(credentialsOf(...CHAIN_VENDORS), PROJECT_SECRET),
      near(['blocknative*', 'dfuse*', 'purestake*'], PROJECT_SECRET),
      near(credentialsOf('infura', 'moralis'), UUID),
    ],
  },
];
