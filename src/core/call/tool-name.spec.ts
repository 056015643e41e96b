import fc from 'fast-check';
import { toolNameForm, ToolNames } from './tool-name.js';

const SEPARATORS = ['__', '--', '.', '/', ':', '::', '\\', '#', ' ', '->'];
const INVISIBLE = [
  '\u00ad',
  '\u034f',
  '\u115f',
  '\u17b4',
  '\u180e',
  '\u200b',
  '\u2060',
  '\u3164',
  '\ufe0f',
  '\ufeff',
  '\uffa0',
  '\0',
  '\u2800',
];

describe('the normal form of tool names', () => {
  it('is its own normal form for every name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(toolNameForm(toolNameForm(name))).toBe(toolNameForm(name));
      }),
    );
  });

  it('ignores case, compatibility forms and invisible characters', () => {
    const wide = (name: string): string =>
      name.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
    const disguise = fc.constantFrom<(name: string) => string>(
      (name) => name.toUpperCase(),
      wide,
      (name) => name,
    );
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]{1,8}(?:_[a-z]{1,8})?$/),
        disguise,
        fc.array(fc.constantFrom(...INVISIBLE)),
        (name, hide, signs) => {
          const units = [...hide(name)];
          expect(toolNameForm(units.map((unit, at) => unit + (signs[at] ?? '')).join(''))).toBe(name);
        },
      ),
    );
  });

  // ADR 0064: a list of allowed tools must not match names that only look like its entries.
  it('distinguishes names that only look alike', () => {
    for (const name of ['run_sh\u0435ll', 'run_\u0455hell', 'ru\u03b7_shell', 'rnn_shell', 'run_she11']) {
      expect([name, toolNameForm(name) === 'run_shell']).toEqual([name, false]);
      expect([name, new ToolNames(['run_shell']).hasLastPartOf(`mcp__x__${name}`)]).toEqual([name, false]);
    }
  });

  it('finds a tool name that is joined to the name of its server with single separators', () => {
    const wanted = new ToolNames(['run_shell']);
    for (const name of [
      'mcp_ops_run_shell',
      'mcp-ops-run_shell',
      'MCP_my_ops_Run_Shell',
      'run_shell_mcp_ops',
      'run_shell_mcp_my-ops',
      'ops_mcp_run_shell',
      'ops-mcp-run_shell',
      'cAbC120mcp0run_shell',
      'run_shell_action_api---example---com',
      'ops____run_shell____mcp',
      'ops____run_shell____builtin',
    ])
      expect([name, wanted.hasLastPartOf(name)]).toEqual([name, true]);
    for (const name of [
      'mcp_run_shells',
      'mcp_ops_run_shell_dry',
      'amcp_ops_run_shell',
      'dry_run_shell_mcp_ops',
      'run_shell_mcp',
      'run_shell_mcps_ops',
      'ops_mcp_dry_run_shell',
      'c0mcp0dry_run_shell',
      'dry_run_shell_action_ops',
      'ops____dry_run_shell____mcp',
      'run_shell____help____mcp',
    ])
      expect([name, wanted.hasLastPartOf(name)]).toEqual([name, false]);
    expect(new ToolNames(['run_shell']).hasLastPartOf(`mcp_${'x'.repeat(300)}_run_shell`)).toBe(true);
  });

  it('finds a name with several suffixes, each of another kind', () => {
    const wanted = new ToolNames(['run_shell']);
    for (const name of [
      'run_shell____mcp<|channel|>commentary',
      'functions.run_shell:0<|channel|>commentary',
      'run_shell:0({"command":"ls"})',
      'run_shell_mcp_ops:3',
      'ops____run_shell____mcp:0({"command":"ls"})',
    ])
      expect([name, wanted.hasLastPartOf(name)]).toEqual([name, true]);
    for (const name of ['dry_run_shell____mcp<|channel|>x', 'dry_run_shell:0({})', 'run_shell____help____mcp:0'])
      expect([name, wanted.hasLastPartOf(name)]).toEqual([name, false]);
  });

  it('finds a name after every separator, but never inside a word', () => {
    const wanted = new ToolNames(['run_shell']);
    for (const separator of SEPARATORS) {
      expect([separator, wanted.hasLastPartOf(`a${separator}b${separator}Run_Shell`)]).toEqual([separator, true]);
    }
    for (const other of ['dry_run_shell', 'dry-run_shell', 'run_shell_dry', 'run_shell.help', 'run', 'shell', '']) {
      expect([other, wanted.hasLastPartOf(other)]).toEqual([other, false]);
    }
    for (const name of [
      'run_shell()',
      'functions.run_shell:12',
      'run_shell.',
      'run_shell({"command":"ls"})',
      'call:run_shell{command:ls}',
      'functions.run_shell ["ls"]',
    ])
      expect([name, wanted.hasLastPartOf(name)]).toEqual([name, true]);
  });
});
