import { found, hex, invent, mixed, small } from './testdata/made-up-values.js';

const uuid = (seed: number): string => [8, 4, 4, 4, 12].map((units, at) => hex(units, seed * 10 + at)).join('-');
const base64 = (units: number, seed = 5): string => invent(new RegExp(`[A-Za-z0-9+/]{${units}}`), seed);

describe('Sessions, stored passwords and signed addresses', () => {
  it.each([
    ['a header Cookie', ['Cookie: ', `theme=dark; sid=${small(32)}; lang=en`], 'session_cookie'],
    [
      'a header Set-Cookie',
      ['set-cookie: ', `connect.sid=s%3A${mixed(32)}.${mixed(43)}; Path=/; HttpOnly`],
      'session_cookie',
    ],
    ['a script', ['document.cookie = "', `auth_token=${mixed(40)}`, '"'], 'session_cookie'],
    ['a call of curl', ["curl -b '", `session=${mixed(40)}`, "' https://example.org"], 'session_cookie'],
    ['a session of PHP in a log', ['PHPSESSID=', small(26)], 'session_cookie'],
    [
      'a session of Java in an address',
      ['https://example.org/a;jsessionid=', invent(/[A-F0-9]{32}/)],
      'session_cookie',
    ],
    ['a cookie file', ['example.org\tTRUE\t/\tTRUE\t1999999999\tsessionid\t', small(40)], 'session_cookie'],
    ['bcrypt', ['ann:', `$2b$12$${mixed(53)}`], 'password_hash'],
    ['crypt in a line of shadow', ['root:', `$6$${mixed(16)}$${mixed(86)}`, ':19000:0:99999:7:::'], 'password_hash'],
    ['Argon2', ['hash: ', `$argon2id$v=19$m=65536,t=3,p=4$${base64(22)}$${base64(43)}`], 'password_hash'],
    ['Apache', ['admin:', `$apr1$${mixed(8)}$${mixed(22)}`], 'password_hash'],
    ['Django', ['"password": "', `pbkdf2_sha256$870000$${mixed(22)}$${base64(43)}=`, '"'], 'password_hash'],
    ['LDAP', ['userPassword: ', `{SSHA}${base64(38)}`], 'password_hash'],
    ['Windows', ['Administrator:500:', `${hex(32)}:${hex(32, 9)}`, ':::'], 'password_hash'],
    ['S3', ['https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=', hex(64)], 'signed_url'],
    [
      'CloudFront',
      ['https://d1.cloudfront.net/x?Expires=1&Signature=', `${mixed(120)}~~`, '&Key-Pair-Id=K1'],
      'signed_url',
    ],
    ['PostgreSQL', ['PGPASSWORD=', mixed(10), ' psql'], 'command_password'],
    ['sshpass', ["sshpass -p '", mixed(10), "' ssh root@example.org"], 'command_password'],
    ['mysql', ['mysql -u root -p', mixed(12), ' main'], 'command_password'],
    ['an option', ['tool --password ', mixed(14), ' --quiet'], 'command_password'],
    ['libpq', ['host=db user=app password=', mixed(10), ' dbname=main'], 'url_credentials'],
    [
      'a wallet',
      ['seed phrase: ', 'legal winner thank year wave sausage worth useful legal winner thank yellow'],
      'wallet_key',
    ],
    ['an extended key', ['', `xprv9s21ZrQH143K${invent(/[1-9A-HJ-NP-Za-km-z]{95}/)}`], 'wallet_key'],
  ])('are found: %s', (_what, [before, value, after = ''], code) => {
    expect(found(`${before}${value}${after}`)).toContainEqual([code, value]);
  });

  it.each([
    'Cookie: consent=yes; _ga=GA1.2.1234567890.1234567890; theme=dark',
    'Cookie: stir the flour, butter and sugar; bake for ten minutes.',
    'set-cookie: session=deleted; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    'mysql -u root -p main < dump.sql',
    'mysql -u root -ppassword',
    'docker login -u $USER --password-stdin',
    'tool --password <your-password>',
    'tool --password "$PASSWORD"',
    'PGPASSWORD=$PGPASSWORD psql',
    'echo "$1$2$3" and $6$ and $argon2id$',
    'Cookie: sidebar_state=collapsed_a1b2c3d4e5f6; side_panel=w8Gk2pQx7ZrT9vLm',
    'Cookie: login_redirect=https%3A%2F%2Fexample.org%2Faccounts%2F8f3a9c; token_url=https://example.org/oauth2/v1',
    'Cookie: last_login=2026-11-30T10:22:33.123Z; session_expires=Mon%2C%2030%20Nov%202026%2010%3A22%3A33',
    'Set-Cookie: login_time=2026-11-30T10:22:33.123Z; assessment=w8Gk2pQx7ZrT9vLm',
    'example.org\tTRUE\t/\tTRUE\t1999999999\t_ga\tGA1.2.w8Gk2pQx7ZrT9vLm',
    'mysql -h x -protocol=tcp',
    'mysqldump -u root -port=3307 main',
    'mariadb -plugin-dir=/usr/lib/x',
    'PGPASSWORD=config.password psql',
    'PGPASSWORD = os.getenv("DB")',
    'MYSQL_PWD: secrets.DB_PASSWORD',
    'tool --password settings.database.password --quiet',
    'tool --password=getpass.getpass()',
    'pass the --password argument, then the --password option.',
    'tool --password env:DB_PASSWORD and --password file:/run/secrets/db_2',
    'tool --password=db_admin_password2',
    'mnemonic: every good boy does fine all cows eat grass great big dogs',
    'seed words: apple banana cherry grape lemon mango orange peach pear plum quince melon',
    'mnemonic: the rule is easy and you have to know which words are in our list today',
    'The seed phrase has twelve words.',
    'https://example.org/?Signature=required&sig=none',
    `https://${hex(32)}@o1.ingest.sentry.io/2`,
    'postgres://postgres:postgres@localhost:5432/app',
    'https://YOUR_USER:YOUR_PASSWORD@api.internal.net',
    'db_key = "mysql://db.internal.net:3306/app"',
  ])('are not seen in %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('Private keys in the forms of tools', () => {
  it.each([
    ['a container of keys and certificates', ['MIIKcQIBAzCC', base64(600)]],
    ['an encrypted key without its first line', ['MIIFHDBOBgkqhkiG9w0BBQ0w', base64(600)]],
    ['a key store of Java', ['/u3+7QAAAAIA', base64(400)]],
    ['minisign', ['RWRTY0Iy', base64(204), '==']],
    [
      'OpenVPN',
      [
        '-----BEGIN OpenVPN',
        ` Static key V1-----\n${`${hex(32)}\n`.repeat(16)}-----END OpenVPN`,
        ' Static key V1-----',
      ],
    ],
    ['GnuPG', ['(private-key', ` (rsa (n #00${hex(64)}#)(e #010001#)(d #${hex(128)}#)`]],
    ['PuTTY without its last line', ['Private-Lines:', ` 1\n${base64(48)}`]],
  ])('are found: %s', (_what, parts) => {
    const key = parts.join('');
    expect(found(`key: ${key}`)).toContainEqual(['private_key', key]);
  });
});

describe('Tokens that name their kind in their prefix', () => {
  it.each([
    ['prefixed_token', ['acme_live', '_', mixed(32)]],
    ['prefixed_token', ['acme-api', '-', mixed(32)]],
    ['prefixed_token', ['acme_pat', '_', hex(40)]],
    ['data_service_token', ['secret-live', '-', mixed(43)]],
    ['data_service_token', ['hooks.zapier.com', '/hooks/catch/987654/', '3kqbw1z']],
    ['commerce_token', ['y0', '_', mixed(55)]],
    ['ai_service_token', ['e2b', '_', hex(40)]],
    ['ai_service_token', ['llx', '-', mixed(48)]],
    ['developer_service_token', ['pylf', '_v1_us_', mixed(43)]],
    ['developer_service_token', ['signkey', '-prod-', hex(64)]],
    ['data_service_token', ['1000.', hex(32), '.', hex(32, 8)]],
    ['commerce_token', ['amzn1', '.oa2-cs.v1.', hex(64)]],
    ['shopify_token', ['shpat', '_', mixed(38)]],
    ['databricks_token', ['dapi', invent(/[A-F0-9]{32}/)]],
  ])('are found: %s', (code, parts) => {
    const token = parts.join('');
    expect(found(`token ${token} .`)).toEqual([[code, token]]);
  });

  it.each([
    'kubectl get secret secret-test-database-credentials-production-eu',
    'secret-live-streaming-api-gateway-tls-certificate',
    'y0_initial_velocity_of_the_projectile_in_meters_per_second',
    'y0_initial_velocity_of_the_projectile_2_in_meters_per_second_v3_x1',
    'https://hooks.zapier.com/hooks/catch/12345/abcde',
    'https://hooks.zapier.com/hooks/catch/123456/abcdef/',
    'https://hooks.zapier.com/hooks/catch/987654/yourhook',
    `"secret_id": "${uuid(5)}"`,
    `bws secret get --secret_id=${uuid(6)}`,
    `image: myapp-prod-${hex(40)}`,
    `image: registry/myapp-api-${hex(40)}`,
    `restore npm-key-${hex(32)}`,
    `idempotency-key-${hex(32)}`,
    `idempotency_key_${mixed(32)}`,
    `partition_key_${hex(32)}`,
    `sort_key_${hex(32)}`,
    `acme-prod-${hex(32)}`,
    `acme_test_${hex(40)}`,
    `commit: main-live-${hex(40)}`,
    `etag_token_${hex(32)}`,
    `fixture_test_${small(32)}`,
    `sess-${hex(40)} is the id of a session`,
    `cache_key_${hex(128)}`,
    'sk_car_rental_reservation_serv2',
    'llx-createUserSessionWithDefaultsAndTimeoutsForAll',
    'rpa_ROBOTICPROCESSAUTOMATIONWORKFLOW',
    'tr_prod_transactionRecordHandlerForOrders',
    'fnAEntityRecognitionPipelineStageTwoConfiguration',
    'sktsec_your-token-here-your-token-here',
    'nbp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'polar_oat_exampleexampleexampleexampleexampleexample',
    'oauth:yourtwitchoauthtokengoeshereok',
    'bu_browser_use_task_runner_with_retries_and_logs',
    'pat_${TOKEN} and ak_<your-token> and syt_QWxpY2U_exampleexampleexampl_abcdef',
    'https://hook.eu1.make.com/thisisthenameofyourhookplease',
    'test_database_connection_pool_size_with_retries_2',
    'live_update_interval_in_milliseconds_for_charts.ts',
    'vk1.a.this-is-a-very-long-name-of-a-page-that-nobody-would-ever-write-into-an-address-bar-at-all',
    `the button acme-live-chat-widget-container-wrapper-2 is hidden`,
    `pod web-prod-7d4b9c6f8-x2x9z`,
    `const my_test_createUserSessionWithDefaults2 = 1;`,
    `pk_live_${mixed(32)}`,
    `arn:aws:s3:::acme-prod-customer-uploads-eu-central-1`,
    `s3://acme-prod-${hex(8)}-backups/2026-11-30/full`,
    `https://acme-api-gateway-production-2b.example.org/`,
  ])('are not seen in %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('The secret half of an AppRole', () => {
  it('is found after its other half', () => {
    const secret = uuid(7);
    const text = `vault write auth/approle/login role_id=${uuid(8)} ${['secret', 'id'].join('_')}=${secret}`;
    expect(found(text)).toContainEqual(['developer_service_token', secret]);
  });
});

describe('Values with a prefix of their language', () => {
  it.each([`app.secret_key = b'${mixed(24)}'`, `API_KEY = r"${mixed(32)}"`, `token: u'${mixed(32)}'`])(
    'are found: %s',
    (text) => {
      expect(found(text).map(([code]) => code)).toEqual(['generic_secret']);
    },
  );
});
