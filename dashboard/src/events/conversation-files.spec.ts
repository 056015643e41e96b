import { contentsOf, fileOf, fileWords } from './conversation-files.ts';

const AT = 'messages[0].content[1]';
const judged = (media: readonly object[], unread: readonly object[] = []) =>
  contentsOf({ facts: { stages: [{ stage: 'pre', contents: { governed: true, media, unread } }] }, unread } as never);
const NOTHING_LEFT = judged([]);

function said(part: object, contents = NOTHING_LEFT): string {
  const file = fileOf({ ...part }, AT);
  return file === undefined ? 'no file' : fileWords(file, contents);
}

const image = { type: 'image_url', image_url: { url: '[BINARY 285360]' } };
const pdf = {
  type: 'file',
  file: { filename: 'plan.pdf', file_data: `data:application/pdf;base64,${'A'.repeat(4_000)}` },
};

describe('A file in a conversation', () => {
  it('is shown with its kind, its size as the service counted it, and that nothing in it was read', () => {
    const contents = judged([{ path: `${AT}.image_url.url`, type: 'image/png', bytes: 214_020 }]);
    expect(said(image, contents)).toBe('image, 214 kB, not scanned');
    expect(said({ type: 'input_image', image_url: 'data:image/png;base64,AAAA' })).toBe('image, 3 B, not scanned');
    expect(said({ type: 'input_audio', input_audio: { data: '[BINARY 4000000]' } })).toBe('audio, 3.0 MB, not scanned');
  });

  it('was scanned if it is a document that could be read', () => {
    expect(said(pdf)).toBe('file, 3 kB, scanned');
    const document = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } };
    expect(said(document)).toBe('document, 3 B, scanned');
    expect(said({ inline_data: { mime_type: 'application/pdf', data: 'AAAA' } })).toBe('application/pdf, 3 B, scanned');
  });

  it('was not scanned if the service could not read it, or only in part', () => {
    const path = `${AT}.file.file_data`;
    expect(said(pdf, judged([], [{ path, why: 'encrypted', bytes: 2_990 }]))).toBe('file, 3 kB, not scanned');
    expect(said(pdf, judged([{ path: `${path} > page 3`, type: 'image/png', bytes: 9 }]))).toBe(
      'file, 3 kB, partly scanned',
    );
  });

  it('was scanned if only another part of the call could not be read', () => {
    const other = { path: 'messages[0].content[10].file.file_data', why: 'binary', bytes: 5 };
    expect(said(pdf, judged([], [other]))).toBe('file, 3 kB, scanned');
  });

  it('is elsewhere if the call only has its address or its id', () => {
    expect(said({ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } })).toBe(
      'image, stored elsewhere, not scanned',
    );
    expect(said({ type: 'input_file', file_id: 'file-1' })).toBe('file, stored elsewhere, not scanned');
    expect(said({ fileData: { mimeType: 'video/mp4', fileUri: 'gs://a/b' } })).toBe(
      'video, stored elsewhere, not scanned',
    );
  });

  it('is recognised in a call of Converse', () => {
    const photo = { image: { format: 'png', source: { bytes: '[BINARY 285360]' } } };
    const contents = judged([{ path: `${AT}.image.source.bytes`, type: 'image/png', bytes: 214_020 }]);
    expect(said(photo, contents)).toBe('image, 214 kB, not scanned');
    const document = { format: 'pdf', name: 'plan', source: { bytes: 'AAAA' } };
    expect(said({ document })).toBe('document, 3 B, scanned');
    const unread = judged([], [{ path: `${AT}.document.source.bytes`, why: 'encrypted', bytes: 3 }]);
    expect(said({ document }, unread)).toBe('document, 3 B, not scanned');
    expect(said({ video: { format: 'mp4', source: { s3Location: { uri: 's3://a/b' } } } })).toBe(
      'video, stored elsewhere, not scanned',
    );
  });

  it('has no word about scanning if no facts are stored', () => {
    expect(said(pdf, contentsOf({ facts: null, unread: [] }))).toBe('file, 3 kB');
  });

  it('is none if it is another part of a message', () => {
    expect(said({ type: 'text', text: 'hello' })).toBe('no file');
    expect(said({ type: 'search_result', source: 'https://example.com' })).toBe('no file');
  });
});
