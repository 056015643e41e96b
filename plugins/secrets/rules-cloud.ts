import { isMonotonous } from './randomness.js';
import { anchored, marked, markedBase64, near, type SecretRule } from './rule.js';

/** Cloud platforms. */
export const CLOUD_RULES: readonly SecretRule[] = [
  {
    code: 'aws_access_key',
    title: 'AWS access key id',
    page: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html',
    shapes: [
      {
        regex: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/,
        trigger: { on: 'literals', literals: ['AKIA', 'ASIA', 'ABIA', 'ACCA'] },
        score: 0.98,
        // Ids in the vendor's documentation end like this; they are reported with a lower score.
        validate: (match) => (match.endsWith('EXAMPLE') ? 0.8 : isMonotonous(match) ? 0.55 : true),
      },
    ],
  },
  {
    code: 'aws_secret_key',
    title: 'AWS secret access key',
    page: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html',
    shapes: [
      near(
        ['aws*', 'amazon*', 'secret access key', 'secretkey', 'secret key', 'AKIA*', 'ASIA*'],
        /(?=[A-Za-z/+]{0,39}\d)[A-Za-z0-9/+]{40}(?![/+=])/,
      ),
    ],
  },
  {
    code: 'aws_session_token',
    title: 'AWS session token',
    page: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp_use-resources.html',
    shapes: [
      markedBase64(
        ['FwoGZXIvYXdz', 'IQoJb3JpZ2lu', 'FQoGZXIvYXdz'],
        /(?:F[wQ]oGZXIvYXdz|IQoJb3JpZ2lu)[A-Za-z0-9/+]{80,4096}={0,2}/,
      ),
    ],
  },
  {
    code: 'aws_bedrock_key',
    title: 'Amazon Bedrock API key',
    page: 'https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html',
    shapes: [
      markedBase64('ABSK', /ABSK[A-Za-z0-9+/]{100,4096}={0,2}/),
      markedBase64('bedrock-api-key-', /bedrock-api-key-[A-Za-z0-9+/=]{20,4096}/),
    ],
  },
  {
    code: 'aws_mws_token',
    title: 'Amazon Marketplace Web Service token',
    page: 'https://developer-docs.amazon.com/sp-api/docs/migrating-authorization-from-amazon-mws',
    shapes: [marked('amzn.mws.', /amzn\.mws\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/)],
  },
  {
    code: 'aws_appsync_key',
    title: 'AWS AppSync API key',
    page: 'https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html',
    shapes: [marked('da2-', /da2-[a-z0-9]{26}/)],
  },
  {
    code: 'google_api_key',
    title: 'Google API key',
    page: 'https://cloud.google.com/docs/authentication/api-keys',
    shapes: [
      anchored('AIza', /(?<![A-Za-z0-9])AIza[\w-]{35}(?![\w-])/),
      // Keys bound to a service account.
      marked('AQ.Ab', /AQ\.Ab[\w-]{40,60}/),
    ],
  },
  {
    code: 'gcp_service_account',
    title: 'Google Cloud service account key file',
    page: 'https://cloud.google.com/iam/docs/keys-create-delete',
    shapes: [anchored('private_key_id', /"private_key_id"\s{0,8}:\s{0,8}"([0-9a-f]{40})"/, { group: 1, before: 1 })],
  },
  {
    code: 'google_oauth_secret',
    title: 'Google OAuth client secret',
    page: 'https://developers.google.com/identity/protocols/oauth2',
    shapes: [marked('GOCSPX-', /GOCSPX-[\w-]{28}/)],
  },
  {
    code: 'google_oauth_token',
    title: 'Google OAuth access or refresh token',
    page: 'https://developers.google.com/identity/protocols/oauth2',
    shapes: [
      // Tokens of service accounts contain two dots. The dots behind them, which pad them to a fixed length, are not part of the match.
      marked('ya29.', /ya29\.(?:[a-z]\.)?[\w-]{20,2048}/),
      anchored('1//0', /(?<![\w/])1\/\/0[\w-]{40,128}(?![\w-])/),
    ],
  },
  {
    code: 'firebase_server_key',
    title: 'Firebase Cloud Messaging server key',
    page: 'https://firebase.google.com/docs/cloud-messaging/auth-server',
    shapes: [marked('AAAA', /AAAA[\w-]{7}:[\w-]{140}/)],
  },
  {
    code: 'azure_storage_key',
    title: 'Azure storage account key',
    page: 'https://learn.microsoft.com/azure/storage/common/storage-account-keys-manage',
    shapes: [
      anchored('AccountKey', /AccountKey\s{0,4}=\s{0,4}([A-Za-z0-9+/]{86}==)/, { group: 1 }),
      near(['azure*', 'storage key', 'account key', 'cosmos*', 'batch*'], /[A-Za-z0-9+/]{86}==/),
    ],
  },
  {
    code: 'azure_sas_token',
    title: 'Azure shared access signature',
    page: 'https://learn.microsoft.com/azure/storage/common/storage-sas-overview',
    shapes: [anchored('sig=', /(?<=[?&])sig=([A-Za-z0-9%+/]{40,80}(?:=|%3[Dd]))/, { group: 1 })],
  },
  {
    code: 'azure_shared_access_key',
    title: 'Azure Service Bus, Event Hubs, IoT or App Configuration key',
    page: 'https://learn.microsoft.com/azure/service-bus-messaging/service-bus-sas',
    shapes: [
      anchored('SharedAccessKey', /SharedAccessKey\s{0,4}=\s{0,4}([A-Za-z0-9+/]{43,88}={0,2})/, { group: 1 }),
      anchored('Secret=', /Id=[\w+/:.-]{4,80};Secret=([A-Za-z0-9+/]{36,100}={0,2})/, { group: 1, before: 100 }),
    ],
  },
  {
    code: 'azure_client_secret',
    title: 'Microsoft Entra client secret',
    page: 'https://learn.microsoft.com/entra/identity-platform/quickstart-register-app',
    shapes: [
      anchored(
        ['7Q~', '8Q~', '6Q~', '5Q~', '9Q~', '4Q~', '3Q~', '2Q~', '1Q~', '0Q~'],
        /(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])/,
        { before: 3, sparesWords: 3 },
      ),
      near(
        ['azure client secret', 'azure secret', 'entra*', 'azuread*', 'client secret'],
        /(?=[A-Za-z]{0,33}[\d~._-])[\w~.-]{34}/,
      ),
    ],
  },
  {
    code: 'azure_devops_token',
    title: 'Azure DevOps personal access token',
    page: 'https://learn.microsoft.com/azure/devops/organizations/accounts/use-personal-access-tokens-to-authenticate',
    shapes: [
      anchored('AZDO', /(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/, {
        before: 76,
        sparesWords: 24,
      }),
      near(['azure*', 'devops*', 'vsts*', 'visualstudio*'], /[a-z2-7]{52}/),
    ],
  },
  {
    code: 'azure_search_key',
    title: 'Azure AI Search key',
    page: 'https://learn.microsoft.com/azure/search/search-security-api-keys',
    shapes: [
      anchored('AzSe', /(?<![A-Za-z0-9])[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}(?![A-Za-z0-9])/, {
        before: 42,
        sparesWords: 16,
      }),
      near(['azure*', 'search key', 'searchkey'], /(?=[A-Za-z]{0,51}\d)[A-Za-z0-9]{52}/),
    ],
  },
  {
    code: 'azure_functions_key',
    title: 'Azure Functions key',
    page: 'https://learn.microsoft.com/azure/azure-functions/function-keys-how-to',
    shapes: [
      anchored('AzFu', /(?<![\w-])[\w-]{44}AzFu[\w-]{4,8}={0,2}(?![\w-])/, { before: 44, sparesWords: 16 }),
      anchored('code=', /azurewebsites\.net\/api\/[\w/-]{1,80}\?code=([\w-]{30,80}={0,2})/, { before: 130, group: 1 }),
    ],
  },
  {
    code: 'azure_openai_key',
    title: 'Azure AI services key',
    page: 'https://learn.microsoft.com/azure/ai-services/authentication',
    shapes: [
      anchored('ACOG', /(?<![A-Za-z0-9])[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{10}ACOG[A-Za-z0-9]{4}(?![A-Za-z0-9])/, {
        before: 68,
        sparesWords: 24,
      }),
      near(['azure*', 'ocp-apim*', 'cognitive*', 'subscription key', 'openai.azure*'], /[0-9a-f]{32}/),
    ],
  },
  {
    code: 'azure_container_registry_key',
    title: 'Azure Container Registry password',
    page: 'https://learn.microsoft.com/azure/container-registry/container-registry-authentication',
    shapes: [
      anchored('ACR', /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{42}\+ACR[A-D][A-Za-z0-9+/]{5}(?![A-Za-z0-9+/])/, {
        before: 43,
        sparesWords: 16,
      }),
      anchored('ACR', /(?<![A-Za-z0-9])[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{10}ACR[A-Za-z0-9]{5}(?![A-Za-z0-9])/, {
        before: 68,
        sparesWords: 24,
      }),
    ],
  },
  {
    code: 'alibaba_access_key',
    title: 'Alibaba Cloud access key',
    page: 'https://www.alibabacloud.com/help/ram/user-guide/create-an-accesskey-pair',
    shapes: [marked('LTAI', /LTAI[A-Za-z0-9]{12,26}/), near(['alibaba*', 'aliyun*', 'LTAI*'], /[A-Za-z0-9]{30}/)],
  },
  {
    code: 'tencent_secret_id',
    title: 'Tencent Cloud secret id',
    page: 'https://www.tencentcloud.com/document/product/598/34227',
    shapes: [marked('AKID', /AKID[A-Za-z0-9]{32}/), near(['tencent*', 'qcloud*', 'AKID*'], /[A-Za-z0-9]{32}/)],
  },
  {
    code: 'digitalocean_token',
    title: 'DigitalOcean token',
    page: 'https://docs.digitalocean.com/reference/api/create-personal-access-token/',
    shapes: [
      marked(['dop_v1_', 'doo_v1_', 'dor_v1_'], /do[opr]_v1_[a-f0-9]{64}/),
      near(['digitalocean*', 'digital ocean'], /[a-f0-9]{64}/),
    ],
  },
  {
    code: 'digitalocean_spaces_key',
    title: 'DigitalOcean Spaces key',
    page: 'https://docs.digitalocean.com/products/spaces/how-to/manage-access/',
    shapes: [marked('DO00', /DO00[A-Z0-9]{16}/)],
  },
  {
    code: 'heroku_api_key',
    title: 'Heroku API key',
    page: 'https://devcenter.heroku.com/articles/authentication',
    shapes: [
      marked('HRKU-', /HRKU-[\w-]{36,64}/),
      near('heroku*', /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/),
    ],
  },
  {
    code: 'linode_token',
    title: 'Linode (Akamai) token',
    page: 'https://techdocs.akamai.com/linode-api/reference/get-started',
    shapes: [near('linode*', /[a-f0-9]{64}/)],
  },
  {
    code: 'vultr_api_key',
    title: 'Vultr API key',
    page: 'https://docs.vultr.com/platform/other/api',
    shapes: [near('vultr*', /[A-Z0-9]{36}/)],
  },
  {
    code: 'hetzner_token',
    title: 'Hetzner Cloud token',
    page: 'https://docs.hetzner.cloud/reference/cloud',
    shapes: [near(['hetzner*', 'hcloud*'], /[A-Za-z0-9]{64}/)],
  },
  {
    code: 'scaleway_key',
    title: 'Scaleway key',
    page: 'https://www.scaleway.com/en/docs/iam/how-to/create-api-keys/',
    shapes: [
      marked('SCW', /SCW[A-Z0-9]{17}/),
      near(['scaleway*', 'scw*'], /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/),
    ],
  },
  {
    code: 'ovh_key',
    title: 'OVHcloud application secret or consumer key',
    page: 'https://help.ovhcloud.com/csm/en-api-getting-started-ovhcloud-api',
    shapes: [near('ovh*', /[A-Za-z0-9]{32}/)],
  },
  {
    code: 'ibm_cloud_key',
    title: 'IBM Cloud API key',
    page: 'https://cloud.ibm.com/docs/account?topic=account-userapikey',
    shapes: [near(['ibm*', 'bluemix*', 'iam', 'cloud iam'], /[\w-]{44}/), near(['softlayer*', 'sl'], /[a-z0-9]{64}/)],
  },
  {
    code: 'ibm_cos_hmac',
    title: 'IBM Cloud Object Storage HMAC secret',
    page: 'https://cloud.ibm.com/docs/cloud-object-storage?topic=cloud-object-storage-uhc-hmac-credentials-main',
    shapes: [near(['cos', 'ibm*', 'hmac', 'secret access key'], /[a-f0-9]{48}/)],
  },
  {
    code: 'cloudant_key',
    title: 'IBM Cloudant key',
    page: 'https://cloud.ibm.com/docs/Cloudant?topic=Cloudant-managing-access-for-cloudant',
    shapes: [near(['cloudant*', 'clou', 'cl'], /(?:[a-f0-9]{64}|[a-z]{24})/)],
  },
];
