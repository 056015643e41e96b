import { createCipheriv, createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { pdfDrawing, pdfStream } from '../../test/support/documents.js';
import { pdfReplacements } from './formats/pdf-replacements.js';
import { readDocument } from './read-document.js';

const SECRET = 'mail@example.com';
const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const ID = Buffer.from('0123456789abcdef');
const OWNER = Buffer.alloc(48, 0x6f);
const PERMISSIONS = -44;

type Encrypt = (bytes: Buffer, object: number) => Buffer;
const hex = (bytes: Buffer): string => `<${bytes.toString('hex')}>`;
const md5 = (...parts: Buffer[]): Buffer => createHash('md5').update(Buffer.concat(parts)).digest();

function rc4(key: Buffer, bytes: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, at) => at);
  const swap = (left: number, right: number): void => {
    [state[left], state[right]] = [state[right]!, state[left]!];
  };
  for (let at = 0, other = 0; at < 256; at++) {
    other = (other + state[at]! + key[at % key.length]!) % 256;
    swap(at, other);
  }
  let [first, second] = [0, 0];
  return Buffer.from(
    Array.from(bytes, (byte) => {
      first = (first + 1) % 256;
      second = (second + state[first]!) % 256;
      swap(first, second);
      return byte ^ state[(state[first]! + state[second]!) % 256]!;
    }),
  );
}

function aes(key: Buffer, bytes: Buffer): Buffer {
  const start = Buffer.alloc(16, 0x69);
  const cipher = createCipheriv(key.length === 32 ? 'aes-256-cbc' : 'aes-128-cbc', key, start);
  return Buffer.concat([start, cipher.update(bytes), cipher.final()]);
}

/** Algorithm 2.B of ISO 32000-2 for an empty password. */
function hardened(salt: Buffer): Buffer {
  let key = createHash('sha256').update(salt).digest();
  for (let round = 0, last = 0; round < 64 || last > round - 32; round++) {
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32)).setAutoPadding(false);
    const mixed = cipher.update(Buffer.concat(Array.from({ length: 64 }, () => key)));
    const rest = Number(BigInt(`0x${mixed.toString('hex', 0, 16)}`) % 3n);
    key = createHash(['sha256', 'sha384', 'sha512'][rest]!).update(mixed).digest();
    last = mixed.at(-1)!;
  }
  return key.subarray(0, 32);
}

interface Encryption {
  /** The encryption dictionary. */
  readonly about: string;
  readonly encrypt: Encrypt;
}

/** The older ciphers, with a separate key for each object. */
function older(revision: 2 | 3 | 4): Encryption {
  const bytes = revision === 2 ? 5 : 16;
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(PERMISSIONS);
  let key = md5(PADDING, OWNER.subarray(0, 32), permissions, ID).subarray(0, bytes);
  if (revision > 2) for (let round = 0; round < 50; round++) key = md5(key).subarray(0, bytes);
  let user = revision === 2 ? PADDING : md5(PADDING, ID);
  for (let round = 0; round < (revision === 2 ? 1 : 20); round++) {
    user = rc4(Buffer.from(key.map((byte) => byte ^ round)), user);
  }
  const filters = '/CF << /StdCF << /CFM /AESV2 /Length 16 >> >> /StmF /StdCF /StrF /StdCF';
  const version = { 2: '/V 1', 3: '/V 2 /Length 128', 4: `/V 4 /Length 128 ${filters}` }[revision];
  const whole = Buffer.concat([user, Buffer.alloc(32 - user.length)]);
  return {
    about: `<< /Filter /Standard ${version} /R ${revision} /P ${PERMISSIONS} /O ${hex(OWNER.subarray(0, 32))} /U ${hex(whole)} >>`,
    encrypt: (content, object) => {
      const salt = Buffer.from(revision === 4 ? 'sAlT' : '');
      const own = md5(key, Buffer.of(object, 0, 0, 0, 0), salt).subarray(0, Math.min(16, bytes + 5));
      return revision === 4 ? aes(own, content) : rc4(own, content);
    },
  };
}

/** AES with 256 bits. */
function newer(): Encryption {
  const key = Buffer.alloc(32, 0x6b);
  const [proof, wrap] = [Buffer.from('proofing'), Buffer.from('wrapping')];
  const user = Buffer.concat([hardened(proof), proof, wrap]);
  const wrapper = createCipheriv('aes-256-cbc', hardened(wrap), Buffer.alloc(16)).setAutoPadding(false);
  const wrapped = wrapper.update(key);
  const filters = '/CF << /StdCF << /CFM /AESV3 /Length 32 >> >> /StmF /StdCF /StrF /StdCF';
  const secrets = `/O ${hex(OWNER)} /U ${hex(user)} /OE ${hex(wrapped)} /UE ${hex(wrapped)} /Perms ${hex(Buffer.alloc(16))}`;
  return {
    about: `<< /Filter /Standard /V 5 /R 6 /Length 256 /P ${PERMISSIONS} ${filters} ${secrets} >>`,
    encrypt: (content) => aes(key, content),
  };
}

function encryptedPdf({ about, encrypt }: Encryption, end = '', described = '1 0 R'): Buffer {
  const span = Buffer.from(`/Span << /ActualText (two ${SECRET}) >> BDC EMC`);
  const objects = [
    about,
    `<< /Type /StructElem /Alt ${hex(encrypt(Buffer.from(`one ${SECRET}`), 2))} /ActualText 4 0 R >>`,
    pdfStream(encrypt(deflateSync(span), 3), '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Filter /FlateDecode'),
    `${hex(encrypt(Buffer.from(`three ${SECRET}`), 4))}\nendobj\n4 0 obj\n${hex(encrypt(Buffer.from(`four ${SECRET}`), 4))}`,
  ];
  const pdf = pdfDrawing('BT /F1 12 Tf 40 700 Td (shown) Tj ET', {
    objects,
    trailer: `/Encrypt ${described} /ID [${hex(ID)} ${hex(ID)}]`,
    encrypt,
  });
  return Buffer.concat([Buffer.from(pdf), Buffer.from(end)]);
}

describe('a PDF file that is encrypted, but opens without a password', () => {
  it.each<[string, Encryption]>([
    ['RC4 with 40 bits', older(2)],
    ['RC4 with 128 bits', older(3)],
    ['AES with 128 bits', older(4)],
    ['AES with 256 bits', newer()],
  ])('is read with the texts that replace or describe drawn content: %s', async (_, encryption) => {
    const { texts, unread } = await readDocument(encryptedPdf(encryption));
    expect(texts).toContainEqual({ place: 'page 1', text: 'shown' });
    const found = texts.find(({ place }) => place === 'replacement texts')?.text;
    for (const number of ['one', 'two', 'three', 'four']) expect(found).toContain(`${number} ${SECRET}`);
    expect(unread).toEqual([]);
  });

  it('is read with metadata that are not encrypted, if the file says so', async () => {
    const { about, encrypt } = newer();
    const xml = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><x:title>five ${SECRET}</x:title></x:xmpmeta>`;
    const head = `<< /Type /Metadata /Subtype /XML /Length ${xml.length} >>`;
    const plain = { about: about.replace('>> >> /StmF', '>> >> /EncryptMetadata false /StmF'), encrypt };
    const end = `\n90 0 obj\n${head}\nstream\n${xml}\nendstream\nendobj\n`;
    const { texts, unread } = await readDocument(encryptedPdf(plain, end));
    expect(texts.some(({ text }) => text.includes(`five ${SECRET}`))).toBe(true);
    expect(unread).toEqual([]);
  });

  it('is read without the padding of its strings', () => {
    const { texts } = pdfReplacements(encryptedPdf(newer()), 1_000_000, true);
    expect(texts).toEqual(
      expect.arrayContaining(['one', 'two', 'three', 'four'].map((number) => `${number} ${SECRET}`)),
    );
  });

  it('is read if all its trailers have equal encryption dictionaries', async () => {
    const encryption = older(3);
    const end = `trailer\n<< /Encrypt ${encryption.about} /ID [${hex(ID)} ${hex(ID)}] >>\n`;
    const { unread } = await readDocument(encryptedPdf(encryption, end, encryption.about));
    expect(unread).toEqual([]);
  });

  it('counts as unread if its trailers disagree about the encryption', async () => {
    const { unread } = await readDocument(encryptedPdf(older(3), 'trailer\n<< /Encrypt 3 0 R >>\n'));
    expect(unread).toEqual([expect.objectContaining({ place: 'replacement texts', why: 'encrypted' })]);
  });
});
