import { parseJson } from '../json/json-document.js';
import { applyEdits } from '../text/edit.js';
import { decodeRequest } from '../providers/decode-call.js';
import { atOnce } from '../steps/steps.js';
import { unreadEdits } from './unread-texts.js';

describe('unreadEdits', () => {
  it('replaces texts that no detector has scanned, and nothing else', () => {
    const body = {
      model: 'gpt-4o',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'long text '.repeat(100) },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${'iVBO'.repeat(200)}` } },
          ],
        },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', function: { name: 'f', arguments: JSON.stringify({ body: 'x y '.repeat(200) }) } }],
        },
      ],
    };
    const doc = parseJson(JSON.stringify(body));
    const { segments } = decodeRequest('openai.chat', doc);
    const kept = JSON.stringify(body).replace(/data:image[^"]*/, '[BINARY 822]');
    expect(applyEdits(doc.text, atOnce(unreadEdits(doc, segments)))).toBe(kept);
  });
});
