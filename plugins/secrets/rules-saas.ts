import { anchored, marked, markedBase64, near, nearNamed, unlessWords, type SecretRule } from './rule.js';

const UUID = /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/;

/** Databases, observability, identity and other services. */
export const SAAS_RULES: readonly SecretRule[] = [
  {
    code: 'databricks_token',
    title: 'Databricks token',
    page: 'https://docs.databricks.com/aws/en/dev-tools/auth/pat',
    shapes: [marked(['dapi', 'dose', 'dosp', 'dkea'], /(?:dapi|dos[ep]|dkea)(?:[a-f0-9]{32}|[A-F0-9]{32})(?:-\d)?/)],
  },
  {
    code: 'planetscale_token',
    title: 'PlanetScale token or password',
    page: 'https://planetscale.com/docs/concepts/service-tokens',
    shapes: [marked(['pscale_tkn_', 'pscale_oauth_', 'pscale_pw_'], /pscale_(?:tkn|oauth|pw)_[\w=.-]{32,64}/)],
  },
  {
    code: 'supabase_token',
    title: 'Supabase token',
    page: 'https://supabase.com/docs/guides/api/api-keys',
    shapes: [marked(['sbp_', 'sb_secret_'], /(?:sbp_(?:oauth_|v\d_)?[a-f0-9]{40}|sb_secret_[\w-]{24,48})/)],
  },
  {
    code: 'neon_api_key',
    title: 'Neon or Turso key',
    page: 'https://neon.com/docs/manage/api-keys',
    shapes: [marked('napi_', /napi_[a-z0-9]{60,70}/)],
  },
  {
    code: 'mongodb_atlas_key',
    title: 'MongoDB Atlas service account secret',
    page: 'https://www.mongodb.com/docs/atlas/configure-api-access/',
    shapes: [marked('mdb_sa_sk_', /mdb_sa_sk_[\w-]{30,50}/)],
  },
  {
    code: 'clickhouse_key',
    title: 'ClickHouse Cloud API secret',
    page: 'https://clickhouse.com/docs/cloud/manage/openapi',
    shapes: [marked('4b1d', /4b1d[A-Za-z0-9]{38}/)],
  },
  {
    code: 'confluent_key',
    title: 'Confluent key or secret',
    page: 'https://docs.confluent.io/cloud/current/security/authenticate/workload-identities/service-accounts/api-keys/overview.html',
    shapes: [marked('cflt', /cflt[A-Za-z0-9+/]{56,60}/), near('confluent*', /(?:[A-Za-z0-9]{64}|[A-Za-z0-9]{16})/)],
  },
  {
    code: 'algolia_key',
    title: 'Algolia admin key',
    page: 'https://www.algolia.com/doc/guides/security/api-keys/',
    shapes: [near('algolia*', /[a-z0-9]{32}/)],
  },
  {
    code: 'datadog_key',
    title: 'Datadog API or application key',
    page: 'https://docs.datadoghq.com/account_management/api-app-keys/',
    shapes: [
      marked('ddapp_', /ddapp_[A-Za-z0-9]{34}/),
      near('datadog*', /(?:[a-z0-9]{40}|[a-f0-9]{32})/),
      // `dd` is also an element of HTML and a command.
      nearNamed('dd', /(?:[a-z0-9]{40}|[a-f0-9]{32})/),
    ],
  },
  {
    code: 'newrelic_key',
    title: 'New Relic key',
    page: 'https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/',
    shapes: [
      marked(
        ['NRAK-', 'NRJS-', 'NRII-', 'NRIQ-', 'NRRA-', 'NRSP-', 'NRAA'],
        /(?:NRAK-[A-Z0-9]{27}|NRJS-[a-f0-9]{19}|NR(?:II|IQ|SP)-[A-Za-z0-9_-]{32}|NRRA-[a-f0-9]{42}|NRAA-?[a-f0-9]{27,42})/i,
      ),
      anchored('NRAL', /(?<![A-Za-z0-9])(?:eu01xx)?[a-fA-F0-9]{30,36}NRAL(?![A-Za-z0-9])/, { before: 42 }),
      anchored('-NRMA', /(?<![A-Za-z0-9])(?:eu01xx)?[a-f0-9]{34,42}-NRMA(?![A-Za-z0-9])/, { before: 48 }),
      near(['newrelic*', 'new relic', 'new-relic*'], /(?:[A-Za-z0-9_.]{64}|[A-Za-z0-9_.-]{42}|[a-f0-9]{40})/),
    ],
  },
  {
    code: 'grafana_token',
    title: 'Grafana token',
    page: 'https://grafana.com/docs/grafana/latest/administration/service-accounts/',
    shapes: [
      marked('glsa_', /glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}/),
      markedBase64('glc_', /glc_[A-Za-z0-9+/]{32,4096}={0,3}/),
      marked('eyJrIjoi', /eyJrIjoi[A-Za-z0-9]{60,400}={0,3}/),
    ],
  },
  {
    code: 'dynatrace_token',
    title: 'Dynatrace token',
    page: 'https://docs.dynatrace.com/docs/manage/identity-access-management/access-tokens-and-oauth-clients/access-tokens',
    shapes: [marked('dt0', /dt0[A-Za-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}/i)],
  },
  {
    code: 'sentry_token',
    title: 'Sentry token',
    page: 'https://docs.sentry.io/account/auth-tokens/',
    shapes: [
      markedBase64('sntrys_', /sntrys_eyJ[A-Za-z0-9+/=_-]{60,2000}/),
      marked('sntryu_', /sntryu_[a-f0-9]{64}/),
      near('sentry*', /(?:[a-f0-9]{64}|[a-f0-9]{60,66})/),
    ],
  },
  {
    code: 'honeycomb_key',
    title: 'Honeycomb key',
    page: 'https://docs.honeycomb.io/configure/environments/manage-api-keys/',
    shapes: [
      marked(['hcaik_', 'hcamk_', 'hcxik_'], /hc(?:ai|am|xi)k_[A-Za-z0-9]{26,64}/),
      near('x-honeycomb-team', /(?:[A-Za-z0-9]{22}|[0-9a-f]{32})/),
      nearNamed('honeycomb*', /(?:[A-Za-z0-9]{22}|[0-9a-f]{32})/),
    ],
  },
  {
    code: 'sumologic_key',
    title: 'Sumo Logic access id or key',
    page: 'https://help.sumologic.com/docs/manage/security/access-keys/',
    shapes: [near(['sumo*'], /(?:su[A-Za-z0-9]{12}|[A-Za-z0-9]{64})/)],
  },
  {
    code: 'splunk_token',
    title: 'Splunk, Loggly, Logz.io, Rollbar, Bugsnag or Airbrake token',
    page: 'https://docs.splunk.com/Documentation/Splunk/latest/Data/UsetheHTTPEventCollector',
    shapes: [
      near(
        [
          'splunk*',
          'loggly*',
          'logzio*',
          'logz.io',
          'rollbar*',
          'bugsnag*',
          'airbrake*',
          'papertrail*',
          'betterstack*',
          'solarwinds*',
          'uptimerobot*',
        ],
        /[A-Za-z0-9_-]{20,80}/,
      ),
      nearNamed('axiom*', /[A-Za-z0-9_-]{20,80}/),
      near(['splunk*', 'loggly*', 'logz*'], UUID),
    ],
  },
  {
    code: 'posthog_key',
    title: 'PostHog, Segment, Amplitude or Mixpanel key',
    page: 'https://posthog.com/docs/api',
    shapes: [
      marked(['phx_', 'phs_'], /ph[xs]_[A-Za-z0-9_]{40,60}/),
      marked('sgp_', /sgp_[A-Za-z0-9]{64}/),
      near(['posthog*', 'mixpanel*', 'fullstory*', 'appcues*'], /[A-Za-z0-9_.-]{32,90}/),
      nearNamed(['segment*', 'amplitude*', 'heap*'], /[A-Za-z0-9_.-]{32,90}/),
    ],
  },
  {
    code: 'okta_token',
    title: 'Okta, OneLogin, Auth0, Duo or JumpCloud credential',
    page: 'https://developer.okta.com/docs/guides/create-an-api-token/main/',
    shapes: [
      near('okta*', /00[\w=-]{40}/),
      near(['auth0*', 'onelogin*', 'jumpcloud*', 'stytch*', 'frontegg*'], /[A-Za-z0-9_-]{40,66}/),
      nearNamed('duo*', /[A-Za-z0-9_-]{40,66}/),
    ],
  },
  {
    code: 'facebook_token',
    title: 'Facebook or Instagram token or app secret',
    page: 'https://developers.facebook.com/docs/facebook-login/guides/access-tokens',
    shapes: [
      marked('EAA', /EAA[A-Z][A-Za-z0-9]{80,260}/),
      anchored('|', /(?<![A-Za-z0-9])\d{15,16}(?:\||%7C)[0-9A-Za-z_-]{27,40}(?![A-Za-z0-9])/, {
        before: 16,
        // In rows of tables and logs, a name can follow a number.
        validate: unlessWords(/^\d+(?:\||%7C)/),
      }),
      near(['facebook*', 'fb', 'instagram*'], /[a-f0-9]{32}/),
    ],
  },
  {
    code: 'twitter_token',
    title: 'X (Twitter) key, secret or bearer token',
    page: 'https://docs.x.com/fundamentals/authentication/overview',
    shapes: [
      marked('AAAAAAAAAAAAAAAAAAAA', /A{20,22}[A-Za-z0-9%]{80,120}/, { validate: (match) => new Set(match).size > 20 }),
      near('twitter*', /(?:\d{15,25}-[A-Za-z0-9]{20,40}|[A-Za-z0-9]{50}|[A-Za-z0-9]{45}|[A-Za-z0-9]{25})/),
    ],
  },
  {
    code: 'linkedin_token',
    title: 'LinkedIn client id or secret',
    page: 'https://learn.microsoft.com/linkedin/shared/authentication/authentication',
    shapes: [near(['linkedin*', 'linked in', 'linked-in'], /(?:[A-Za-z0-9]{16}|[A-Za-z0-9]{14})/)],
  },
  {
    code: 'social_token',
    title: 'Reddit, Spotify, Twitch, Pinterest, Strava or Flickr credential',
    page: 'https://developer.spotify.com/documentation/web-api/concepts/apps',
    shapes: [
      marked('pina_', /pina_[A-Za-z0-9_-]{32,90}/),
      near(
        ['reddit*', 'spotify*', 'twitch*', 'pinterest*', 'strava*', 'flickr*', 'soundcloud*', 'disqus*', 'gyazo*'],
        /(?:[A-Za-z0-9]{64}|[a-f0-9]{40}|[A-Za-z0-9_-]{30,32})/,
      ),
    ],
  },
  {
    code: 'mapbox_token',
    title: 'Mapbox secret token, TomTom, HERE or MapQuest key',
    page: 'https://docs.mapbox.com/help/dive-deeper/access-tokens/',
    shapes: [
      marked('sk.eyJ', /sk\.eyJ[A-Za-z0-9_-]{60,120}\.[A-Za-z0-9_-]{20,24}/),
      marked('pk.eyJ', /pk\.eyJ[A-Za-z0-9_-]{60,120}\.[A-Za-z0-9_-]{20,24}/),
      near(['mapbox*'], /[ps]k\.[A-Za-z0-9]{60,90}\.[A-Za-z0-9]{22}/),
      near(['tomtom*', 'mapquest*', 'here api', 'geocodio*'], /[A-Za-z0-9]{32}/),
      nearNamed('geocod*', /[A-Za-z0-9]{32}/),
    ],
  },
  {
    code: 'dropbox_token',
    title: 'Dropbox or Box token',
    page: 'https://developers.dropbox.com/oauth-guide',
    shapes: [
      marked('sl.', /sl\.(?:u\.)?[A-Za-z0-9_=-]{60,200}/),
      near('dropbox*', /[A-Za-z0-9]{11}AAAAAAAAAA[A-Za-z0-9_=-]{43}/),
      // Links to files have parts of this form as well.
      nearNamed('dropbox*', /[a-z0-9]{15}/),
      near(['box secret', 'box client', 'boxclient*'], /[A-Za-z0-9]{32}/),
    ],
  },
  {
    code: 'contentful_token',
    title: 'Contentful, Sanity, Storyblok or ButterCMS token',
    page: 'https://www.contentful.com/developers/docs/references/authentication/',
    shapes: [
      marked('CFPAT-', /CFPAT-[\w-]{43}/),
      near(['contentful*', 'storyblok*', 'buttercms*', 'kontent*', 'storychief*'], /[A-Za-z0-9_-]{22,64}/),
      nearNamed('sanity*', /[A-Za-z0-9_-]{22,64}/),
    ],
  },
  {
    code: 'typeform_token',
    title: 'Typeform token',
    page: 'https://www.typeform.com/developers/get-started/personal-access-token/',
    shapes: [marked('tfp_', /tfp_[\w.=-]{40,60}/), near('typeform*', /[A-Za-z0-9_-]{44}/)],
  },
  {
    code: 'salesforce_token',
    title: 'Salesforce token or secret',
    page: 'https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_endpoints.htm',
    shapes: [
      marked('00D', /00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{60,140}/),
      marked('5Aep861', /5Aep861[A-Za-z0-9._=]{60,90}/),
      marked('3MVG9', /3MVG9[A-Za-z0-9._]{60,90}/),
    ],
  },
  {
    code: 'jwt_issuer_key',
    title: 'Contentstack, Twitch, Ubidots or Adafruit key',
    page: 'https://io.adafruit.com/api/docs/#authentication',
    shapes: [
      marked(['aio_', 'BBFF-'], /(?:aio_[A-Za-z0-9]{28}|BBFF-[A-Za-z0-9]{30})/),
      near('adafruit*', /[A-Za-z0-9_-]{32}/),
    ],
  },
  {
    code: 'rapidapi_key',
    title: 'RapidAPI key',
    page: 'https://docs.rapidapi.com/docs/keys-and-key-rotation',
    shapes: [near(['rapidapi*', 'x-rapidapi-key'], /[A-Za-z0-9_-]{50}/)],
  },
  {
    code: 'shodan_key',
    title: 'Shodan, VirusTotal, AbuseIPDB or SecurityTrails key',
    page: 'https://developer.shodan.io/api/requirements',
    shapes: [
      near(
        [
          'shodan*',
          'virustotal*',
          'abuseipdb*',
          'securitytrails*',
          'urlscan*',
          'alienvault*',
          'ipinfo*',
          'ipgeolocation*',
          'ipquality*',
        ],
        /(?:[A-Za-z0-9]{64}|[a-f0-9]{80}|[A-Za-z0-9]{30,32}|[a-z0-9]{14})/,
      ),
      near('urlscan*', UUID),
    ],
  },
  {
    code: 'settlemint_token',
    title: 'SettleMint token',
    page: 'https://console.settlemint.com/documentation/platform-components/security-and-authentication/personal-access-tokens',
    shapes: [marked(['sm_pat_', 'sm_aat_', 'sm_sat_'], /sm_[pas]at_[A-Za-z0-9]{16}/)],
  },
  {
    code: 'sidekiq_secret',
    title: 'Sidekiq Enterprise credential',
    page: 'https://github.com/sidekiq/sidekiq/wiki/Commercial-Support',
    shapes: [
      anchored(
        ['BUNDLE_ENTERPRISE__CONTRIBSYS__COM', 'BUNDLE_GEMS__CONTRIBSYS__COM'],
        /BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM['"]{0,2}\s{0,4}[=:]{1,2}\s{0,4}['"]?([a-f0-9]{8}:[a-f0-9]{8})/,
        { group: 1 },
      ),
      anchored(
        ['gems.contribsys.com', 'enterprise.contribsys.com'],
        /https?:\/\/([a-f0-9]{8}:[a-f0-9]{8})@(?:gems|enterprise)\.contribsys\.com/,
        { before: 30, group: 1 },
      ),
    ],
  },
  {
    code: 'maxmind_license_key',
    title: 'MaxMind license key',
    page: 'https://support.maxmind.com/hc/en-us/articles/4407111582235',
    shapes: [
      anchored('_mmk', /(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9])/, {
        before: 36,
        sparesWords: 6,
      }),
      near('maxmind*', /[A-Za-z0-9]{16}/),
    ],
  },
  {
    code: 'meraki_key',
    title: 'Cisco Meraki key',
    page: 'https://developer.cisco.com/meraki/api-v1/authorization/',
    shapes: [near('meraki*', /[0-9a-f]{40}/)],
  },
  {
    code: 'defined_networking_token',
    title: 'Defined Networking token',
    page: 'https://docs.defined.net/guides/automating-host-creation/',
    shapes: [marked('dnkey-', /dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}/)],
  },
  {
    code: 'frameio_token',
    title: 'Frame.io token',
    page: 'https://developer.adobe.com/frameio/guides/',
    shapes: [marked('fio-u-', /fio-u-[A-Za-z0-9_=-]{64}/)],
  },
  {
    code: 'adobe_secret',
    title: 'Adobe client secret',
    page: 'https://developer.adobe.com/developer-console/docs/guides/authentication/',
    shapes: [marked(['p8e-', 'p8E-'], /p8e-[A-Za-z0-9]{32}/i), near('adobe*', /[a-f0-9]{32}/)],
  },
  {
    code: 'beamer_token',
    title: 'Beamer token',
    page: 'https://www.getbeamer.com/api',
    shapes: [near('beamer*', /b_[A-Za-z0-9=_/-]{44}/)],
  },
  {
    code: 'kubernetes_secret',
    title: 'Kubernetes bootstrap token or kubeconfig key data',
    page: 'https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/',
    shapes: [
      anchored('client-key-data', /client-key-data\s{0,4}:\s{0,4}([A-Za-z0-9+/]{100,6000}={0,2})/, { group: 1 }),
      near(['kubeadm*', 'bootstrap token'], /[a-z0-9]{6}\.[a-z0-9]{16}/),
    ],
  },
];
