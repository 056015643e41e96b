import { pii } from './pii.js';

const CODES = new Set(
  (Object.keys(pii.meta.codes) as (keyof typeof pii.meta.codes)[]).filter((code) => pii.meta.codes[code].enabled),
);
const scan = pii.create(pii.meta.options.parse({}), { codes: CODES });
const found = (text: string, key?: string): string[] =>
  scan(text, key === undefined ? {} : { key })
    .filter(({ code, score }) => score >= pii.meta.codes[code].minScore)
    .map(({ code, start, end }) => `${code}:${text.slice(start, end)}`);

const NAMED = /^(?:NATIONAL_ID|TAX_NUMBER|VAT_ID|HEALTH_ID|BANK_ACCOUNT|CARD_CODE|DEVICE_ID|VEHICLE_ID):/;

describe('Numbers that a word names', () => {
  it.each([
    ['CNPJ 12.ABC.345/01DE-35', 'BR_CNPJ:12.ABC.345/01DE-35'],
    ['RFC: GODE561231GR8', 'TAX_NUMBER:GODE561231GR8'],
    ['CLABE 032180000118359719', 'BANK_ACCOUNT:032180000118359719'],
    ['cédula de ciudadanía 1.020.304.050', 'NATIONAL_ID:1.020.304.050'],
    ['DNI 46027897', 'NATIONAL_ID:46027897'],
    ['NIT 900.373.913-4', 'TAX_NUMBER:900.373.913-4'],
    ['EIN 12-3456789', 'TAX_NUMBER:12-3456789'],
    ['MRN: 00482913', 'HEALTH_ID:00482913'],
    ['account number 000123456789', 'BANK_ACCOUNT:000123456789'],
    ['VAT GB 980 7806 84', 'VAT_ID:GB 980 7806 84'],
    ['TVA FR40303265045', 'VAT_ID:FR40303265045'],
    ['btw NL004495445B01', 'VAT_ID:NL004495445B01'],
    ['Steuernummer 181/815/08155', 'TAX_NUMBER:181/815/08155'],
    ['Personalausweis L01X00T471', 'DE_ID_CARD:L01X00T471'],
    ['Reisepass C01X00T478', 'PASSPORT:C01X00T478'],
    ['dowód osobisty ABA300000', 'NATIONAL_ID:ABA300000'],
    ['JMBG 0101006500006', 'NATIONAL_ID:0101006500006'],
    ['kennitala 120174-3399', 'NATIONAL_ID:120174-3399'],
    ['Emirates ID 784-1984-1234567-5', 'NATIONAL_ID:784-1984-1234567-5'],
    ['الرقم القومي 29001011234567', 'NATIONAL_ID:29001011234567'],
    ['CNIC 42201-1234567-1', 'NATIONAL_ID:42201-1234567-1'],
    ['NIK 3174012501900001', 'NATIONAL_ID:3174012501900001'],
    ['CVV: 123', 'CARD_CODE:123'],
    ['IMEI 490154203237518', 'DEVICE_ID:490154203237518'],
    ['VIN 1HGCM82633A004352', 'VEHICLE_ID:1HGCM82633A004352'],
    ['driver license number 123 456 789', 'DRIVER_LICENSE:123 456 789'],
  ])('are found: %s', (text, finding) => {
    expect(found(text)).toContain(finding);
  });

  it('are found under a JSON key', () => {
    expect(found('000123456789', 'account_number')).toContain('BANK_ACCOUNT:000123456789');
    expect(found('42201-1234567-1', 'national_id')).toContain('NATIONAL_ID:42201-1234567-1');
  });

  it('include the lines of a passport for machines', () => {
    const lines = `P<UTOERIKSSON<<ANNA<MARIA${'<'.repeat(19)}\nL898902C36UTO7408122F1204159ZE184226B<<<<<10`;
    expect(found(`scan:\n${lines}\n`)).toContain(`PASSPORT:${lines}`);
  });

  it.each([
    ['DPI 2450 12346 0101', 'NATIONAL_ID:2450 12346 0101'],
    ['cédula V-12.345.678', 'NATIONAL_ID:V-12.345.678'],
    ['National ID number: AB1234567', 'NATIONAL_ID:AB1234567'],
    ['Kuwait civil ID 290010110009', 'NATIONAL_ID:290010110009'],
    ['NIC number 853400937V', 'NATIONAL_ID:853400937V'],
    ['CIF B58818501', 'TAX_NUMBER:B58818501'],
    ['UTR 1955839661', 'TAX_NUMBER:1955839661'],
    ['ΑΦΜ 090000045', 'TAX_NUMBER:090000045'],
    ['RUC 20100070970', 'TAX_NUMBER:20100070970'],
    ['NHI ZZZ0016', 'HEALTH_ID:ZZZ0016'],
    ['RAMQ ABCD 1234 5678', 'HEALTH_ID:ABCD 1234 5678'],
    ['sort code: 12-34-56', 'BANK_ACCOUNT:12-34-56'],
    ['card verification code is 123', 'CARD_CODE:123'],
    ['bank account no. is 000123456789', 'BANK_ACCOUNT:000123456789'],
  ])('have the form of their country: %s', (text, finding) => {
    expect(found(text)).toContain(finding);
  });

  it.each([
    'RFC 2119 and RFC 9110 define the words.',
    'The account number is shown below. Order 12345678 has shipped.',
    'There are 12345678 rows and 123456789012 bytes.',
    'cin >> 12345678; nit: rename this; the NIC has 8 queues.',
    'chassis 4 and slot 12; the VAT is 19 percent of 100000 EUR',
    'Ticket ID 83912 and User ID 54321 are closed, IN 20001 steps.',
    'nik: please look at 1234',
    'the CVV check failed 3 times',
    '0.16.2 / 2018-02-07 and 0.1.0 / 2012-05-16',
    'a range of 8192-8.13, a mean of 42.123456789, {1..1000000}',
  ])('are not seen in %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it.each([
    // Identity: words that are also those of programs, of cards and of countries.
    'Print at 300 dpi, see image 20261130',
    'mouse dpi 16000000',
    'dpi: 2400 1600 0800',
    'std::cin >> N100000;',
    'cin >> A12345;',
    'CIN A123456 is a line of the cinema program',
    'The server NIC sent 123456789012 bytes.',
    'NIC 202611301200 went down',
    'Use the CNI plugin version 20230101 for Kubernetes',
    'Wikidata QID 12345678',
    'Egypt exported 310 tons; contract 210101123456',
    'Kuwait invoice 290010112345',
    'personal id 20261130',
    'id card template TPL 1234567',
    'ID card printer, order 12345678',
    'national id job 1234567',
    'identity card usr 12345678',
    'identity number of the build: job 1234567',
    'Nik closed ticket 3174019901900001',
    'The NIS map has 12345678901 entries',
    'rg -n 12345678 src/',
    'cedula 20261130',
    'DNI 20261130 and DNI 850 W/m2',
    'matricule 2026113012345',
    'kt. 9912345678',
    'civil number 290010112342',
    'pis 12345678901',
    // Health
    'health insurance premium of 120000 EUR',
    'member id 123456789012 in the LDAP group',
    'chart number 20261130 shows the sales',
    'patient id 20261130',
    'mrn 1732981234567',
    'nhi ABC1234',
    'NSS 3.90 built on 20261130123',
    'the Taj Mahal got 123456789 visits',
    'hospital number of beds: 120000',
    // Tax
    'Wir haben ein 20-1234567 bestellt.',
    'nit: 1234567890 is too long, use 123.456.789-1',
    'CIF Rotterdam 12345678901',
    'cif A1234567X and crystal 123456789',
    'UTR region 1234567890',
    'RUC 12345678901',
    'rfc abc-991130-xyz',
    'AFM scan 123456789',
    'tax id pending; ticket 12-34567',
    // VAT
    'VAT return, see invoice SI 20261130',
    'after 15 km NO 123 456 789',
    'uid ro12345678',
    'iva de la factura 12345678901',
    'vat of the order pl 1234567890',
    // Accounts
    'bank account opened on 01-02-26',
    'savings account 20000000 EUR',
    'bank account since 20261130',
    'sort code by length 12-34-56',
    'account number of rows: 12345678',
    'ccc 12345678901234567890',
    'cuenta 1234 5678 90 1234567890',
    'blz build 12345678',
    // Codes of cards
    'CVV error 422',
    'cvc in 2026',
    'card verification returned 500',
    'the cvv length must be 3 to 4 digits, code 400',
    // Devices and vehicles
    'imei 123456789012345',
    'IMSI catcher 20261130123456',
    'sim card order 20261130123456',
    'vin rouge 2019, chassis serial abcdefgh123456789',
    'chassis 12345678901234567',
    // Office and code
    'Order 12345678, invoice INV202611, ticket 1234567, version 4.12.3, seat 12A, gate B22',
    'ISBN 978-3-16-148410-0 and ISSN 2049-3630',
    'coordinates 52.520008, 13.404954 at 10.0.0.12',
    'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'ext. 4711, price 1.234.567,89, product code AB123456, part GHA 12',
  ])('are not seen where a word means something else: %s', (text) => {
    expect(found(text).filter((finding) => NAMED.test(finding))).toEqual([]);
  });

  it('do not begin inside a word', () => {
    expect(found('driver license number 123 456 789')).not.toContain('DRIVER_LICENSE:ber 123 456 789');
  });

  it('are postal codes of a state only with digits of that state', () => {
    expect(found('Boise, ID 83702')).toContain('ZIP_CODE:83702');
    expect(found('Portland, OR 97201')).toContain('ZIP_CODE:97201');
    expect(found('User ID 83702')).toEqual([]);
  });
});
