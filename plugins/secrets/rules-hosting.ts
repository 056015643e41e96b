import { anchored, marked, markedBase64, near, nearNamed, unlessWords, type SecretRule } from './rule.js';

const CLOUDFLARE_TOKEN = /[\w-]{40}|[a-f0-9]{37}/;

/** Hosting, networks, and tools that deploy and configure infrastructure. */
export const HOSTING_RULES: readonly SecretRule[] = [
  {
    code: 'cloudflare_token',
    title: 'Cloudflare API token or key',
    page: 'https://developers.cloudflare.com/fundamentals/api/get-started/create-token/',
    shapes: [
      marked('v1.0-', /v1\.0-[a-f0-9]{24}-[a-f0-9]{146}/),
      marked(['cfut_', 'cfat_', 'cfk_'], /cf(?:ut|at|k)_[A-Za-z0-9]{40,64}/),
      near('cloudflare*', CLOUDFLARE_TOKEN),
      // `cf.` is also a common abbreviation.
      nearNamed('cf*', CLOUDFLARE_TOKEN),
    ],
  },
  {
    code: 'fastly_token',
    title: 'Fastly token',
    page: 'https://docs.fastly.com/en/guides/using-api-tokens',
    shapes: [near('fastly*', /[\w-]{32}/)],
  },
  {
    code: 'netlify_token',
    title: 'Netlify token',
    page: 'https://docs.netlify.com/api/get-started/',
    shapes: [marked('nfp_', /nfp_[A-Za-z0-9]{36}/), near('netlify*', /[\w-]{40,46}/)],
  },
  {
    code: 'vercel_token',
    title: 'Vercel token',
    page: 'https://vercel.com/docs/rest-api',
    shapes: [
      marked(['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], /vc[piark]_[A-Za-z0-9]{24,64}/),
      near(['vercel*', 'zeit*'], /[A-Za-z0-9]{24}/),
    ],
  },
  {
    code: 'fly_token',
    title: 'Fly.io token',
    page: 'https://fly.io/docs/security/tokens/',
    shapes: [
      marked('fo1_', /fo1_[\w-]{43}/),
      markedBase64(['fm1_', 'fm1a_', 'fm1r_', 'fm2_'], /fm\d[ar]?_[A-Za-z0-9+/]{60,2000}={0,3}/),
    ],
  },
  {
    code: 'render_api_key',
    title: 'Render API key',
    page: 'https://render.com/docs/api',
    shapes: [marked('rnd_', /rnd_[A-Za-z0-9]{28,40}/, { validate: unlessWords(/^rnd_/) })],
  },
  {
    code: 'tailscale_key',
    title: 'Tailscale key',
    page: 'https://tailscale.com/kb/1277/key-prefixes',
    shapes: [
      marked('tskey-', /tskey-(?:api|auth|client|scim|webhook)-[A-Za-z0-9]{6,20}(?:CNTRL)?-[A-Za-z0-9]{16,64}/),
      marked('tskey-', /tskey-[A-Za-z0-9]{1,12}-[A-Za-z0-9_-]{16,64}/),
    ],
  },
  {
    code: 'ngrok_token',
    title: 'ngrok token',
    page: 'https://ngrok.com/docs/agent/',
    shapes: [near('ngrok*', /[A-Za-z0-9]{20,30}_[A-Za-z0-9]{20,24}/)],
  },
  {
    code: 'vault_token',
    title: 'HashiCorp Vault token',
    page: 'https://developer.hashicorp.com/vault/docs/concepts/tokens',
    shapes: [
      marked(['hvs.', 'hvb.', 'hvr.'], /hv[sbr]\.[\w-]{24,300}/),
      near(['vault*', 'x-vault-token'], /[sbr]\.[A-Za-z0-9]{24}/),
    ],
  },
  {
    code: 'terraform_token',
    title: 'HCP Terraform token',
    page: 'https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens',
    shapes: [
      anchored('.atlasv1.', /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}(?![\w=-])/, {
        before: 14,
        sparesWords: 14,
      }),
    ],
  },
  {
    code: 'pulumi_token',
    title: 'Pulumi access token',
    page: 'https://www.pulumi.com/docs/pulumi-cloud/access-management/access-tokens/',
    shapes: [marked('pul-', /pul-[a-f0-9]{40}/)],
  },
  {
    code: 'doppler_token',
    title: 'Doppler token',
    page: 'https://docs.doppler.com/reference/auth-token-formats',
    shapes: [
      marked(
        ['dp.pt.', 'dp.st.', 'dp.ct.', 'dp.sa.', 'dp.scim.', 'dp.audit.'],
        /dp\.(?:pt|ct|sa|scim|audit|st(?:\.[a-z0-9_-]{2,35})?)\.[A-Za-z0-9]{40,44}/,
      ),
    ],
  },
  {
    code: 'yandex_cloud_key',
    title: 'Yandex Cloud key',
    page: 'https://yandex.cloud/docs/iam/concepts/authorization/',
    shapes: [
      marked('t1.', /t1\.[A-Z0-9a-z_-]{1,100}={0,2}\.[A-Z0-9a-z_-]{86}={0,2}/),
      marked('AQVN', /AQVN[\w-]{35,38}/),
      near('yandex*', /YC[\w-]{38}/),
    ],
  },
  {
    code: 'openshift_token',
    title: 'OpenShift token',
    page: 'https://docs.openshift.com/container-platform/latest/authentication/managing-oauth-access-tokens.html',
    shapes: [marked('sha256~', /sha256~[\w-]{43}/)],
  },
];
