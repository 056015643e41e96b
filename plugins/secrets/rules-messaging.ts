import { isPlaceholder, looksLikeToken, looksLikeWords } from './randomness.js';
import { anchored, marked, nameBefore, near, nearNamed, type SecretRule } from './rule.js';

const UUID = /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/;
const PUSH_KEY = /[a-z0-9]{20,22}|o\.[A-Za-z0-9]{32}|[A-Za-z0-9-]{36,48}/;
const LARK_TOKEN = /[turac]-[\w.-]{20,50}|[A-Za-z0-9]{32}/;

/** A number in a link to a task, or named as the id of an object; other numbers are ids of clients. */
const ASANA_ID =
  /(?:\/|(?<!client[ _-]?)(?:gid|id|task|project|workspace|section|portfolio)["']?\s{0,3}[:=]\s{0,3}["']?)$/i;

/** Chat, mail, telephony and team tools. */
export const MESSAGING_RULES: readonly SecretRule[] = [
  {
    code: 'slack_token',
    title: 'Slack token',
    page: 'https://docs.slack.dev/authentication/tokens',
    shapes: [
      marked(
        ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxo-', 'xoxs-', 'xoxc-', 'xoxd-', 'xoxe-', 'xoxe.', 'xoxt-'],
        /xox(?:(?:[bpasroct]|e(?:\.xox[bp])?)-[A-Za-z0-9%-]{10,250}|d-[A-Za-z0-9%+\/=-]{10,250})/i,
        { validate: (match) => /\d/.test(match) && !isPlaceholder(match) && !looksLikeWords(match) },
      ),
      marked(['xapp-', 'xwfp-'], /(?:xapp|xwfp)-\d-[A-Za-z0-9]{1,20}-\d{1,16}-[a-z0-9]{16,80}/i),
    ],
  },
  {
    code: 'slack_webhook',
    title: 'Slack webhook',
    page: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks/',
    shapes: [
      anchored(
        'hooks.slack',
        /(?<![A-Za-z0-9])(?:https?:\/\/)?hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{30,120}/,
        { before: 8 },
      ),
    ],
  },
  {
    code: 'discord_bot_token',
    title: 'Discord bot token',
    page: 'https://discord.com/developers/docs/reference#authentication',
    shapes: [
      {
        ...marked([], /[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}/),
        trigger: { on: 'token', token: 'capital' },
        sparesWords: 16,
      },
      near('discord*', /(?:[a-f0-9]{64}|[\w-]{32})/),
    ],
  },
  {
    code: 'discord_webhook',
    title: 'Discord webhook',
    page: 'https://discord.com/developers/docs/resources/webhook',
    shapes: [
      anchored(
        ['discord.com/api/webhooks', 'discordapp.com/api/webhooks'],
        /(?<![A-Za-z0-9])(?:https?:\/\/(?:[a-z]{2,8}\.)?|(?:canary|ptb|www)\.)?discord(?:app)?\.com\/api\/webhooks\/\d{16,20}\/[\w-]{40,80}/,
        { before: 16 },
      ),
    ],
  },
  {
    code: 'telegram_bot_token',
    title: 'Telegram bot token',
    page: 'https://core.telegram.org/bots/api#authorizing-your-bot',
    shapes: [anchored(':A', /(?<![A-Za-z0-9])(?:bot)?(\d{5,16}:A[\w-]{34})(?![\w-])/, { before: 19, group: 1 })],
  },
  {
    code: 'twilio_api_key',
    title: 'Twilio key or auth token',
    page: 'https://www.twilio.com/docs/iam/api-keys',
    shapes: [marked(['SK', 'AC'], /(?:SK|AC)[0-9a-f]{32}/), near('twilio*', /[0-9a-f]{32}/)],
  },
  {
    code: 'sendgrid_api_key',
    title: 'SendGrid API key',
    page: 'https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys',
    shapes: [anchored('SG.', /(?<![A-Za-z0-9])SG\.[\w=.-]{60,72}(?![\w-])/)],
  },
  {
    code: 'mailgun_key',
    title: 'Mailgun key',
    page: 'https://documentation.mailgun.com/docs/mailgun/api-reference/authentication/',
    shapes: [
      // Not the end of a longer name, such as `idempotency-key-…`.
      anchored('key-', /(?<![A-Za-z0-9]|[A-Za-z0-9][_.-])key-[0-9a-f]{32}(?![\w-])/, { score: 0.85 }),
      near('mailgun*', /(?:pubkey-[a-f0-9]{32}|[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}|[a-zA-Z0-9-]{72})/),
    ],
  },
  {
    code: 'mailchimp_api_key',
    title: 'Mailchimp API key',
    page: 'https://mailchimp.com/developer/marketing/guides/quick-start/',
    shapes: [
      anchored('-us', /(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])/, { before: 32 }),
      marked('md-', /md-[\w-]{22}/, { validate: (match) => looksLikeToken(match.slice(3)) }),
    ],
  },
  {
    code: 'postmark_token',
    title: 'Postmark, SparkPost, Mailjet, MailerLite or Elastic Email key',
    page: 'https://postmarkapp.com/developer/api/overview',
    shapes: [
      near(
        [
          'postmark*',
          'sparkpost*',
          'mailjet*',
          'mailerlite*',
          'elastic email',
          'elasticemail*',
          'mailmodo*',
          'mailsac*',
          'moosend*',
          'pepipost*',
          'getresponse*',
          'omnisend*',
          'campayn*',
        ],
        /[A-Za-z0-9_-]{28,100}/,
      ),
      near('postmark*', UUID),
    ],
  },
  {
    code: 'resend_api_key',
    title: 'Resend API key',
    page: 'https://resend.com/docs/dashboard/api-keys/introduction',
    shapes: [marked('re_', /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}/)],
  },
  {
    code: 'brevo_api_key',
    title: 'Brevo (Sendinblue) API key',
    page: 'https://developers.brevo.com/docs/getting-started',
    shapes: [marked(['xkeysib-', 'xsmtpsib-'], /x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}/)],
  },
  {
    code: 'intercom_token',
    title: 'Intercom token',
    page: 'https://developers.intercom.com/docs/build-an-integration/learn-more/authentication',
    shapes: [marked('dG9rO', /dG9rO[A-Za-z0-9+/]{50,60}={0,2}/), near('intercom*', /[A-Za-z0-9=_-]{59,60}/)],
  },
  {
    code: 'zendesk_token',
    title: 'Zendesk token',
    page: 'https://developer.zendesk.com/api-reference/introduction/security-and-auth/',
    shapes: [near('zendesk*', /[A-Za-z0-9]{40}/)],
  },
  {
    code: 'hubspot_token',
    title: 'HubSpot token',
    page: 'https://developers.hubspot.com/docs/guides/apps/private-apps/overview',
    shapes: [
      marked('pat-', /pat-(?:na|eu|ap)\d-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/),
      near(['hubspot*', 'hubapi*', 'hapikey*'], UUID),
    ],
  },
  {
    code: 'teams_webhook',
    title: 'Microsoft Teams webhook',
    page: 'https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook',
    shapes: [
      anchored(
        '.webhook.office.com/',
        /https:\/\/[a-z0-9]{1,40}\.webhook\.office\.com\/webhookb2\/[0-9a-z-]{36}@[0-9a-z-]{36}\/IncomingWebhook\/[a-z0-9]{32}\/[0-9a-z-]{36}(?:\/[\w-]{20,80})?/i,
        { before: 48 },
      ),
      // Its successor: a flow of Power Automate, whose address contains a signature.
      anchored(
        ['.powerplatform.com', '.logic.azure.com'],
        /https:\/\/[a-z0-9.-]{1,80}\.(?:powerplatform|logic\.azure)\.com(?::443)?\/[\w\/-]{0,60}workflows\/[0-9a-f]{32}\/triggers\/[^\s"'<>`]{1,300}[?&]sig=[\w-]{43}[^\s"'<>`]{0,200}/i,
        { before: 90 },
      ),
    ],
  },
  {
    code: 'mattermost_token',
    title: 'Mattermost token',
    page: 'https://developers.mattermost.com/integrate/reference/personal-access-token/',
    shapes: [near('mattermost*', /[a-z0-9]{26}/)],
  },
  {
    code: 'messagebird_key',
    title: 'MessageBird, Vonage, Plivo, Sinch or Telnyx key',
    page: 'https://developers.messagebird.com/quickstarts/',
    shapes: [
      marked('KEY0', /KEY0[A-F0-9]{31}_[A-Za-z0-9]{22}/),
      near(
        [
          'messagebird*',
          'message bird',
          'nexmo*',
          'vonage*',
          'plivo*',
          'sinch*',
          'telnyx*',
          'bulksms*',
          'clicksend*',
          'voodoosms*',
        ],
        /(?:[A-Za-z0-9_-]{40,60}|[A-Za-z0-9]{25}|[a-f0-9]{32})/,
      ),
      near('messagebird*', UUID),
    ],
  },
  {
    code: 'pusher_key',
    title: 'Pusher, PubNub, Pushbullet or OneSignal key',
    page: 'https://pusher.com/docs/channels/getting_started/javascript/',
    shapes: [
      marked(['os_v2_'], /os_v2_(?:app|org)_[a-z0-9]{60,110}/),
      marked(['sub-c-', 'pub-c-', 'sec-c-'], /(?:sub|pub|sec)-c-[A-Za-z0-9-]{36,48}/),
      near(['pushbullet*', 'onesignal*', 'pubnub*'], PUSH_KEY),
      nearNamed(['pusher*', 'airship*'], PUSH_KEY),
    ],
  },
  {
    code: 'line_token',
    title: 'LINE channel access token',
    page: 'https://developers.line.biz/en/docs/messaging-api/channel-access-tokens/',
    shapes: [
      near(
        ['line channel*', 'line token', 'linemessaging*', 'line messaging', 'line access token'],
        /[A-Za-z0-9+/]{160,180}={0,2}/,
      ),
    ],
  },
  {
    code: 'webex_token',
    title: 'Webex token',
    page: 'https://developer.webex.com/docs/bots',
    shapes: [near('webex*', /(?:[\w-]{64}_[\w-]{4}_[\w-]{36}|[a-f0-9]{64}|[\w-]{100,110})/)],
  },
  {
    code: 'zoom_token',
    title: 'Zoom credential',
    page: 'https://developers.zoom.us/docs/internal-apps/s2s-oauth/',
    shapes: [nearNamed('zoom*', /[A-Za-z0-9]{32}/)],
  },
  {
    code: 'clickup_token',
    title: 'ClickUp token',
    page: 'https://developer.clickup.com/docs/authentication',
    shapes: [marked('pk_', /pk_\d{6,10}_[A-Z0-9]{32}/)],
  },
  {
    code: 'asana_token',
    title: 'Asana token or client secret',
    page: 'https://developers.asana.com/docs/personal-access-token',
    shapes: [
      near('asana*', /(?:\d\/\d{14,19}(?:\/\d{14,19})?:[A-Za-z0-9]{32}|[A-Za-z0-9]{32})/),
      near('asana*', /\d{16}/, {
        validate: (match, info) => new Set(match).size >= 5 && !ASANA_ID.test(nameBefore(info)),
      }),
    ],
  },
  {
    code: 'trello_token',
    title: 'Trello key or token',
    page: 'https://developer.atlassian.com/cloud/trello/guides/rest-api/authorization/',
    shapes: [marked('ATTA', /ATTA[a-f0-9]{60,72}/), near('trello*', /(?:[a-z0-9]{32}|[A-Za-z0-9]{64})/)],
  },
  {
    code: 'notion_token',
    title: 'Notion integration token',
    page: 'https://developers.notion.com/reference/authentication',
    shapes: [marked(['secret_', 'ntn_'], /(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,48})/)],
  },
  {
    code: 'linear_api_key',
    title: 'Linear API key',
    page: 'https://linear.app/developers/graphql',
    shapes: [
      marked(['lin_api_', 'lin_oauth_', 'lin_wh_'], /lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,64}/),
      nearNamed('linear*', /[a-f0-9]{32}/),
    ],
  },
  {
    code: 'airtable_token',
    title: 'Airtable token',
    page: 'https://airtable.com/developers/web/api/authentication',
    shapes: [
      marked('pat', /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/),
      // Ids of bases, tables and records have the same length.
      near(
        'airtable*',
        /(?:key[A-Za-z0-9]{14}|(?!app|tbl|rec|viw|fld|usr|wsp|att)[A-Za-z0-9]{17}|[A-Za-z0-9]{1,20}\.v1\.[\w-]{17,40}\.[a-f0-9]{60,70})/,
      ),
    ],
  },
  {
    code: 'figma_token',
    title: 'Figma token',
    page: 'https://www.figma.com/developers/api#authentication',
    shapes: [
      marked(['figd_', 'figu_', 'figo_', 'figoh_', 'figor_', 'figur_'], /fig(?:[duo]r?|oh)_[\w-]{36,60}/),
      near('figma*', /[0-9A-F]{4}-[0-9a-f-]{36}/i),
    ],
  },
  {
    code: 'zulip_key',
    title: 'Zulip, Rocket.Chat or Gitter bot key',
    page: 'https://zulip.com/api/api-keys',
    shapes: [near(['zulip*', 'rocketchat*', 'rocket.chat'], /[A-Za-z0-9]{32}/)],
  },
  {
    code: 'lark_token',
    title: 'Lark token',
    page: 'https://open.larksuite.com/document/server-docs/getting-started/api-access-token/app-access-token-development-guide',
    shapes: [near(['larksuite*', 'feishu*'], LARK_TOKEN), nearNamed('lark*', LARK_TOKEN)],
  },
];
