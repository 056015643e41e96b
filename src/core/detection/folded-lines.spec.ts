import { masked, parts } from '../../../test/support/found-values.js';

describe('Folded lines of mails, calendars and business cards', () => {
  it.each([
    ['a business card', 'BEGIN:VCARD\nVERSION:3.0\nEMAIL:mail@exa\n mple.com\nEND:VCARD\n'],
    ['a calendar', 'BEGIN:VEVENT\r\nDESCRIPTION:write to mail@exa\r\n mple.com\r\nATTENDEE;CN=Ann\r\nEND:VEVENT\r\n'],
    ['a header of a mail', 'Subject: write to mail@exa\n\tmple.com\nX-Mailer:none\n'],
  ])('are put together before the next line: %s', async (_what, text) => {
    expect((await masked(parts(text))).join(' ')).toMatch(/EMAIL:mail@exa EMAIL:mple\.com/);
  });
});
