import { anchored, marked, markedBase64, near, nearNamed, type SecretRule } from './rule.js';

const UUID = /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/;

/** Code hosting, package registries, build and release. */
export const CODE_RULES: readonly SecretRule[] = [
  {
    code: 'github_pat',
    title: 'GitHub personal access token (classic)',
    page: 'https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats',
    shapes: [
      marked('ghp_', /ghp_[A-Za-z0-9]{36,251}/),
      near(
        [
          'github token',
          'github pat',
          'github api',
          'gh token',
          'github key',
          'github secret',
          'github oauth',
          'github access',
        ],
        /[0-9a-f]{40}/,
        {
          score: 0.6,
          contextScore: 0.6,
        },
      ),
    ],
  },
  {
    code: 'github_fine_grained_pat',
    title: 'GitHub fine-grained personal access token',
    page: 'https://docs.github.com/authentication/keeping-your-account-and-data-secure/managing-your-personal-access-tokens',
    shapes: [marked('github_pat_', /github_pat_[A-Za-z0-9_]{36,255}/)],
  },
  {
    code: 'github_oauth_token',
    title: 'GitHub OAuth token',
    page: 'https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats',
    shapes: [marked('gho_', /gho_[A-Za-z0-9]{36,251}/)],
  },
  {
    code: 'github_app_token',
    title: 'GitHub App token',
    page: 'https://docs.github.com/authentication/keeping-your-account-and-data-secure/about-authentication-to-github#githubs-token-formats',
    shapes: [marked(['ghu_', 'ghs_', 'ghr_'], /gh[usr]_[A-Za-z0-9]{36,251}/)],
  },
  {
    code: 'gitlab_pat',
    title: 'GitLab personal access token',
    page: 'https://docs.gitlab.com/security/tokens/#token-prefixes',
    shapes: [
      marked('glpat-', /glpat-[\w-]{20,300}(?:(?:\.[a-z0-9]{2})?\.[a-z0-9]{9})?/),
      near(['gitlab token', 'gitlab private token', 'private-token', 'gitlab*'], /(?=[A-Za-z_-]{0,19}\d)[\w-]{20}/, {
        score: 0.6,
        contextScore: 0.6,
      }),
    ],
  },
  {
    code: 'gitlab_token',
    title: 'GitLab deploy, runner, trigger, feed or agent token',
    page: 'https://docs.gitlab.com/security/tokens/#token-prefixes',
    shapes: [
      marked(
        [
          'gldt-',
          'glrt-',
          'glrtr-',
          'glcbt-',
          'glptt-',
          'glft-',
          'glsoat-',
          'glimt-',
          'glagent-',
          'gloas-',
          'glffct-',
          'glwt-',
        ],
        /gl(?:dt|rtr?|cbt|ptt|ft|soat|imt|agent|oas|ffct|wt)-[\w.-]{20,300}/,
      ),
      marked('GR1348941', /GR1348941[\w-]{20}/),
      anchored('_gitlab_session', /_gitlab_session=([0-9a-z]{32})(?![0-9a-z])/, { group: 1 }),
    ],
  },
  {
    code: 'bitbucket_token',
    title: 'Bitbucket app password or access token',
    page: 'https://support.atlassian.com/bitbucket-cloud/docs/app-passwords/',
    shapes: [
      marked(
        ['ATBB', 'ATCTT3xFfG', 'ATSTT3xFfG'],
        /(?:ATBB[A-Za-z0-9_=.-]{24,40}|AT[CS]TT3xFfG[A-Za-z0-9_=-]{40,240}(?:=[A-F0-9]{8})?)/,
      ),
      marked('BBDC-', /BBDC-[A-Za-z0-9+/@_-]{40,50}/),
      near('bitbucket*', /[A-Za-z0-9_=-]{64}/),
      near('bitbucket*', /[A-Za-z0-9]{32}/),
    ],
  },
  {
    code: 'atlassian_token',
    title: 'Atlassian (Jira, Confluence) API token',
    page: 'https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/',
    shapes: [
      marked('ATATT3xFfG', /ATATT3xFfG[A-Za-z0-9+/=_-]{40,240}(?:=[A-F0-9]{8})?/),
      near(['atlassian*', 'confluence*', 'jira*'], /[A-Za-z0-9]{24}/),
      near(['atlassian*', 'confluence*', 'jira*'], /[A-Za-z0-9+/]{44}/),
    ],
  },
  {
    code: 'npm_token',
    title: 'npm access token',
    page: 'https://docs.npmjs.com/about-access-tokens',
    shapes: [
      marked('npm_', /npm_[A-Za-z0-9]{36}/),
      anchored('_authToken', /_authToken\s{0,4}=\s{0,4}["']?([\w+/.-]{20,2048}={0,2})/, { group: 1 }),
      anchored('x-oauth', /:\/\/([0-9a-f]{40}):x-oauth-basic@/, { group: 1, before: 60 }),
    ],
  },
  {
    code: 'pypi_token',
    title: 'PyPI upload token',
    page: 'https://github.com/pypi/warehouse',
    shapes: [marked('pypi-', /pypi-(?:AgEIcHlwaS5vcmc|AgENdGVzdC5weXBpLm9yZw)[\w-]{50,1000}/)],
  },
  {
    code: 'rubygems_token',
    title: 'RubyGems API key',
    page: 'https://guides.rubygems.org/api-key-scopes/',
    shapes: [marked('rubygems_', /rubygems_[a-f0-9]{48}/)],
  },
  {
    code: 'crates_io_token',
    title: 'crates.io token',
    page: 'https://doc.rust-lang.org/cargo/reference/publishing.html',
    shapes: [marked('cio', /cio[A-Za-z0-9]{32}/)],
  },
  {
    code: 'clojars_token',
    title: 'Clojars deploy token',
    page: 'https://github.com/clojars/clojars-web/wiki/Deploy-Tokens',
    shapes: [marked('CLOJARS_', /CLOJARS_[A-Za-z0-9]{60}/)],
  },
  {
    code: 'nuget_api_key',
    title: 'NuGet API key',
    page: 'https://learn.microsoft.com/nuget/nuget-org/publish-a-package',
    shapes: [marked('oy2', /oy2[a-z0-9]{43}/)],
  },
  {
    code: 'docker_token',
    title: 'Docker Hub token',
    page: 'https://docs.docker.com/security/for-developers/access-tokens/',
    shapes: [
      marked(['dckr_pat_', 'dckr_oat_'], /dckr_[po]at_[\w-]{27,40}/),
      near('dockerhub*', UUID),
      nearNamed('docker*', UUID),
    ],
  },
  {
    code: 'jfrog_token',
    title: 'JFrog or Artifactory token',
    page: 'https://jfrog.com/help/r/jfrog-platform-administration-documentation/access-tokens',
    shapes: [
      marked('AKCp', /AKCp[A-Za-z0-9]{10,120}/),
      marked('cmVmdGtu', /cmVmdGtu[A-Za-z0-9]{56}/),
      near(
        ['jfrog*', 'artifactory*', 'bintray*', 'xray*', 'x-jfrog-art-api'],
        /(?:[A-Za-z0-9]{64}|[A-Za-z0-9]{73}|AP[\dABCDEF][A-Za-z0-9]{8,40})/,
      ),
    ],
  },
  {
    code: 'circleci_token',
    title: 'CircleCI token',
    page: 'https://circleci.com/docs/managing-api-tokens/',
    shapes: [
      marked(['CCIPAT_', 'CCIPRJ_'], /CCIP(?:AT|RJ)_[A-Za-z0-9]{16,32}_[a-f0-9]{40}/),
      near('circleci*', /[a-f0-9]{40}/),
      nearNamed('circle*', /[a-f0-9]{40}/),
    ],
  },
  {
    code: 'travis_token',
    title: 'Travis CI token',
    page: 'https://docs.travis-ci.com/user/triggering-builds/',
    shapes: [near('travis*', /[A-Za-z0-9]{22}/)],
  },
  {
    code: 'buildkite_token',
    title: 'Buildkite token',
    page: 'https://buildkite.com/docs/apis/managing-api-tokens',
    shapes: [
      marked(['bkua_', 'bkct_', 'bkaj_'], /bk(?:ua|ct|aj)_[a-f0-9]{40,64}/),
      near('buildkite*', /[a-z0-9]{40,50}/),
    ],
  },
  {
    code: 'drone_token',
    title: 'Drone CI token',
    page: 'https://docs.drone.io/server/user/management/',
    shapes: [near('droneci*', /[A-Za-z0-9]{32}/), nearNamed('drone*', /[A-Za-z0-9]{32}/)],
  },
  {
    code: 'sonar_token',
    title: 'SonarQube or SonarCloud token',
    page: 'https://docs.sonarsource.com/sonarqube-server/latest/user-guide/managing-tokens/',
    shapes: [marked(['squ_', 'sqp_', 'sqa_'], /sq[upa]_[A-Za-z0-9=_-]{40}/), near('sonar*', /[A-Za-z0-9]{40}/)],
  },
  {
    code: 'snyk_token',
    title: 'Snyk token',
    page: 'https://docs.snyk.io/snyk-api/authentication-for-api',
    shapes: [marked('snyk_', /snyk_(?:uat|sat)\.[0-9a-f]{8}\.[\w-]{30,120}\.[\w-]{20,120}/), near('snyk*', UUID)],
  },
  {
    code: 'codecov_token',
    title: 'Codecov token',
    page: 'https://docs.codecov.com/docs/codecov-tokens',
    shapes: [near('codecov*', /(?:[a-z0-9]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/)],
  },
  {
    code: 'codacy_token',
    title: 'Codacy, Code Climate, Coveralls or Scrutinizer token',
    page: 'https://docs.codacy.com/codacy-api/api-tokens/',
    shapes: [near(['codacy*', 'codeclimate*', 'coveralls*', 'scrutinizer*'], /[A-Za-z0-9_-]{20,64}/)],
  },
  {
    code: 'sourcegraph_token',
    title: 'Sourcegraph token',
    page: 'https://sourcegraph.com/docs/cli/how-tos/creating_an_access_token',
    shapes: [
      marked(
        ['sgp_', 'sgd_', 'slk_'],
        /(?:sgp_(?:(?:[A-Fa-f0-9]{16}|local)_)?[A-Fa-f0-9]{40}|(?:sgd|slk)_[a-f0-9]{64})/,
      ),
      near('sourcegraph*', /[a-fA-F0-9]{40}/),
    ],
  },
  {
    code: 'launchdarkly_key',
    title: 'LaunchDarkly key',
    page: 'https://launchdarkly.com/docs/home/account/api',
    shapes: [
      marked(
        ['sdk-', 'api-', 'mob-'],
        /(?:sdk|api|mob)-[a-z0-9]{8}-[a-z0-9]{4}-4?[a-z0-9]{3,4}-[a-z0-9]{4}-[a-z0-9]{12}/,
      ),
      near('launchdarkly*', /[A-Za-z0-9=_-]{40}/),
    ],
  },
  {
    code: 'postman_api_key',
    title: 'Postman API key',
    page: 'https://learning.postman.com/docs/developer/postman-api/authentication/',
    shapes: [marked('PMAK-', /PMAK-[A-Za-z0-9]{24}-[A-Za-z0-9]{34}/)],
  },
  {
    code: 'octopus_api_key',
    title: 'Octopus Deploy API key',
    page: 'https://octopus.com/docs/octopus-rest-api/how-to-create-an-api-key',
    shapes: [marked('API-', /API-[A-Z0-9]{25,31}/)],
  },
  {
    code: 'prefect_token',
    title: 'Prefect API key',
    page: 'https://docs.prefect.io/v3/how-to-guides/cloud/manage-users/api-keys',
    shapes: [marked(['pnu_', 'pnb_'], /pn[ub]_[A-Za-z0-9]{36}/)],
  },
  {
    code: 'readme_token',
    title: 'ReadMe API key',
    page: 'https://docs.readme.com/main/reference/intro/authentication',
    shapes: [marked(['rdme_'], /rdme_[a-z0-9]{70,72}/)],
  },
  {
    code: 'scalingo_token',
    title: 'Scalingo token',
    page: 'https://doc.scalingo.com/platform/cli/introduction',
    shapes: [marked('tk-us-', /tk-us-[\w-]{48}/)],
  },
  {
    code: 'onepassword_secret',
    title: '1Password secret key or service account token',
    page: 'https://developer.1password.com/docs/service-accounts/security/',
    shapes: [
      markedBase64('ops_eyJ', /ops_eyJ[A-Za-z0-9+/_-]{200,4096}={0,3}/),
      marked('A3-', /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}/),
    ],
  },
  {
    code: 'age_secret_key',
    title: 'age secret key',
    page: 'https://github.com/FiloSottile/age',
    shapes: [
      marked(
        ['AGE-SECRET-KEY-1', 'AGE-SECRET-KEY-PQ-1'],
        /AGE-SECRET-KEY-(?:PQ-)?1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,140}/,
      ),
    ],
  },
  {
    code: 'infracost_api_key',
    title: 'Infracost API key',
    page: 'https://www.infracost.io/docs/infracost_cloud/get_started/',
    shapes: [anchored('ico-', /(?<![A-Za-z0-9.])ico-[A-Za-z0-9]{32}(?![A-Za-z0-9.])/)],
  },
  {
    code: 'authress_key',
    title: 'Authress service client key',
    page: 'https://authress.io/knowledge-base/docs/authorization/service-clients/',
    shapes: [
      marked(
        ['sc_', 'ext_', 'scauth_', 'authress_'],
        /(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}/i,
      ),
    ],
  },
  {
    code: 'gitter_token',
    title: 'Gitter token',
    page: 'https://developer.gitter.im/docs/authentication',
    shapes: [near('gitter*', /[A-Za-z0-9_-]{40}/)],
  },
  {
    code: 'statuspage_key',
    title: 'Statuspage, StatusCake or PagerDuty key',
    page: 'https://developer.statuspage.io/#section/Authentication',
    shapes: [near(['statuspage*', 'statuscake*', 'pagerduty*', 'pager duty', 'statuspal*'], /[A-Za-z0-9+_-]{20,64}/)],
  },
];
