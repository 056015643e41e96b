import { found, hex, invent, mixed, small } from './testdata/made-up-values.js';

const uuid = invent(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/, 5);

describe('Credentials in newer formats of their vendors', () => {
  it.each([
    ['supabase_token', ['sbp', '_oauth_', hex(40)]],
    ['age_secret_key', ['AGE-SECRET', '-KEY-PQ-1', invent(/[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/)]],
    ['stripe_secret_key', ['sk', '_org_live_', mixed(40)]],
    ['openai_api_key', ['sk', '-kimi-', mixed(64)]],
    ['openai_api_key', ['sk', '-helicone-', [5, 6, 7, 8].map((seed) => `a1${small(5, seed)}`).join('-')]],
    ['openai_api_key', ['sk', '-', mixed(22)]],
    ['anthropic_api_key', ['sk', '-ant-sid02-', mixed(180)]],
    ['cursor_api_key', ['crsr', '_', hex(64)]],
    ['gitlab_pat', ['glpat', '-', mixed(40), '.01', small(7)]],
    ['gitlab_pat', ['glpat', '-', mixed(40), '.01.', small(9)]],
    ['slack_token', ['xoxd', '-', mixed(40), '+', mixed(20), '/', mixed(20), '=']],
    ['url_credentials', ['smtp', '://ann@example.org:', mixed(14), '@smtp.mail.net:587']],
    ['url_credentials', ['postgres', '://app:', mixed(6), '/', mixed(6), '@db.internal:5432/main']],
    ['url_credentials', ['postgresql+asyncpg', '://app:', mixed(6), '/', mixed(6), '@db.internal/main']],
  ])('are found as a whole: %s', (code, parts) => {
    const credential = parts.join('');
    expect(found(`value: ${credential} .`)).toEqual([[code, credential]]);
  });
});

describe('Hashes of commits and files', () => {
  const commit = hex(40);
  it.each([
    ['the version of an action', `uses: SonarSource/sonarqube-scan-action@${commit} # v5`],
    ['a file in a repository', `https://github.com/DataDog/dd-trace-js/blob/${commit}/index.js`],
    ['two commits', `https://github.com/circleci/docs/compare/${commit}...${hex(40, 9)}`],
    ['an entry of yarn.lock', `resolved "https://registry.yarnpkg.com/newrelic/-/newrelic-9.0.0.tgz#${commit}"`],
    ['a package from a repository', `"deepgram": "git+https://github.com/deepgram/sdk.git#${commit}"`],
    ['an entry of go.sum', `github.com/PagerDuty/go-pagerduty v1.5.0 h1:${mixed(43)}=`],
    ['an answer of the API', `{"repository": "zendesk/samson", "sha": "${commit}"}`],
    ['a hook', `repo: https://github.com/wandb/client\n    rev: ${commit}`],
    ['an asset', `{"sentry.min.js": "${hex(64)}"}`],
    ['a revision', `{"pipeline": "newrelic", "revisionId": "${commit}"}`],
  ])('are no credentials of the vendor whose name is near them: %s', (_what, text) => {
    expect(found(text)).toEqual([]);
  });

  it.each([
    ['sonar_token', `SONAR_TOKEN=${commit}`, commit],
    ['newrelic_key', `newrelic key: ${commit}`, commit],
    ['zendesk_token', `{"zendesk": "${mixed(40)}"}`, mixed(40)],
    ['sentry_token', `sentry auth ${hex(64)}`, hex(64)],
  ])('are credentials in any other place: %s', (code, text, value) => {
    expect(found(text)).toEqual([[code, value]]);
  });
});

describe('Names and ids in the form of a credential', () => {
  it.each([
    `"self":"https://acme.atlassian.net/rest/api/3/user?accountId=${hex(24)}"`,
    `Jira: the assignee is [~accountid:${hex(24)}]`,
    `https://acme.s3.amazonaws.com/faces/${invent(/[0-9a-f]{30}/)}.png`,
    `https://acme.s3.amazonaws.com/avatars/${hex(32)}.png`,
    `https://acme.atlassian.net/wiki/spaces/ENG/pages/${invent(/[0-9]{16}/)}/Notes+2`,
    `https://app.asana.com/0/${invent(/[0-9]{16}/)}/${invent(/[0-9]{16}/, 6)}`,
    `{"asana": {"gid": "${invent(/[0-9]{16}/)}"}}`,
    `https://airtable.com/app${mixed(14)}/tbl${mixed(14, 7)}`,
    `{"server": "mattermost", "channel_id": "${small(26)}"}`,
    `https://app.snyk.io/org/acme/project/${uuid}`,
    `https://urlscan.io/result/${uuid}/`,
    `https://app.contentful.com/spaces/abc/entries/${mixed(22)}`,
    `posthog.capture({"distinct_id": "${uuid}"})`,
    'Rollbar: deployed my-service-2024-05-17-rc1',
    'void test_HTTP2_connection_is_reused_after_GOAWAY() {',
    '|1732184406123456|request_completed_successfully|',
    'fw_updateFirmwareFromRemoteServer();',
    'rnd_generateCryptographicRandomNumber();',
    'pod/sk-web-frontend-7d4b9c6f8-x2x9z',
    '<div class="sk-chasing-dot sk-chasing-dot-animation-delay-x2">',
    'ssh://git@host.internal:2222,ops@example.org',
    'redis://cache.internal:6379/0?client=a@example.org',
  ])('are no credentials: %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('do not hide a credential of the same vendor', () => {
    const secret = `${mixed(20)}/${mixed(19, 8)}`;
    expect(found(`aws: ${secret}`)).toEqual([['aws_secret_key', secret]]);
    const client = invent(/[0-9]{16}/);
    expect(found(`ASANA_CLIENT_ID=${client}`)).toEqual([['asana_token', client]]);
    expect(found(`airtable: ${mixed(17)}`)).toEqual([['airtable_token', mixed(17)]]);
    expect(found(`snyk auth ${uuid}`)).toEqual([['snyk_token', uuid]]);
    expect(found(`mattermost: ${small(26)}`)).toEqual([['mattermost_token', small(26)]]);
    expect(found(`JIRA_API_TOKEN=${mixed(24)}`)).toEqual([['atlassian_token', mixed(24)]]);
    expect(found(`jira ${hex(24)}`)).toEqual([['atlassian_token', hex(24)]]);
  });
});
