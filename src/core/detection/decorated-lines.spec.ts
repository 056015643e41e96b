import { masked, part } from '../../../test/support/found-values.js';

/** The parts of e-mail addresses in a text. */
const addresses = async (text: string): Promise<string[]> =>
  (await masked([part(text, 'prompt')])).filter((one) => one.startsWith('EMAIL:'));

describe('a line that begins with an at sign', () => {
  it.each([
    '# entry point of the cli\n@click.group()\ndef cli():\n    pass',
    '@app.task\n@click.group()\ndef run(): ...',
    'bot = make()\nbot2\n@commands.group()\nasync def ask(ctx): ...',
    '// the model\n@lombok.Data\npublic class Model {}',
    '// the model\n@lombok.Data class Model {}',
    'def one(): return two\n@app.group\ndef three(): ...',
    'x = 1  # see the docs\n@app.group\n\ndef three(): ...',
    'thanks to @alice.b\n@bob.dev',
    'Follow us\n@acme.io for news',
  ])('is not read as the rest of an address if it is a decorator, an annotation or an account: %j', async (text) => {
    expect(await addresses(text)).toEqual([]);
  });

  it.each([
    'write to ana.bell\n@example.com today',
    'write to ana\n@example.com',
    'write to ana\n@example.com.\nThank you',
    '> write to ana.bell\n> @example.com',
    '# write to ana.bell\n# @example.com',
    'write to ana.bell@\nexample.com for details',
  ])('is read as the rest of an address that begins on the previous line: %j', async (text) => {
    expect(await addresses(text)).toHaveLength(2);
  });
});
