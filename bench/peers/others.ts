import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessTree } from '../process-tree.js';
import { startCommand } from '../processes.js';
import { PROVIDER_KEY } from '../usual-calls.js';
import type { Unnamed } from './gateway.js';
import type { Installed } from './installed.js';

/** Portkey and LiteLLM, each with default settings, and with its own guardrails that need no other service. */

/** All personal data in one pattern, since only the result of the last of several replacements in a guardrail is kept. */
const PERSONAL = [
  '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}',
  '\\b[A-Z]{2}\\d{2}[A-Z0-9]{11,30}\\b',
  '\\b(?:\\d[ -]?){13,16}\\b',
  '\\+?\\d{1,3}[ .-]?\\(?\\d{3}\\)?[ .-]?\\d{3}[ .-]?\\d{4}\\b',
].join('|');
const CREDENTIALS =
  '\\bAKIA[0-9A-Z]{16}\\b|\\bgh[pousr]_[A-Za-z0-9]{36}\\b|\\bxox[abpos]-[A-Za-z0-9-]{10,}|\\bsk-[A-Za-z0-9_-]{20,}|-----BEGIN [A-Z ]*PRIVATE KEY-----';
const INJECTION = '(?:ignore|disregard|forget) (?:all )?(?:previous|prior|above) (?:instructions|rules)';

const refusing = (rule: string): object => ({ 'default.regexMatch': { rule, not: true }, deny: true });

const portkeyConfig = (upstream: string): object => ({
  provider: 'openai',
  api_key: PROVIDER_KEY,
  custom_host: `${upstream}/v1`,
  input_guardrails: [
    { 'default.regexReplace': { rule: `/${PERSONAL}/g`, redactText: '[PII]' }, deny: false },
    refusing(CREDENTIALS),
    refusing(INJECTION),
  ],
  output_guardrails: [refusing(CREDENTIALS)],
});

/** @throws Error when it does not start */
export async function portkey(
  { script, version }: NonNullable<Installed['portkey']>,
  upstream: string,
  governs: boolean,
): Promise<Unnamed> {
  const running = await startCommand({
    command: process.execPath,
    argv: (port) => ['--import', './dist/bench/programs/on-loopback.js', script, `--port=${port}`, '--headless'],
    env: { NODE_ENV: 'production' },
    readyPath: '/',
  });
  const headers: Readonly<Record<string, string>> = governs
    ? { 'x-portkey-config': JSON.stringify(portkeyConfig(upstream)) }
    : {
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `${upstream}/v1`,
        authorization: `Bearer ${PROVIDER_KEY}`,
      };
  return {
    does: governs
      ? 'masks and refuses by five regular expressions of its `default` plugins; checks no key, keeps no log and no budget'
      : 'passes calls on; checks no key, keeps no log and no budget',
    version,
    governs,
    endpoint: { url: `${running.url}/v1/chat/completions`, headers },
    tree: new ProcessTree([running.pid]),
    stop: running.stop,
  };
}

const patterns = (action: string, names: readonly string[]): object[] =>
  names.map((name) => ({ pattern_type: 'prebuilt', pattern_name: name, action }));

const SECRETS = ['aws_access_key', 'github_token', 'slack_token', 'generic_api_key'];

const filter = (name: string, mode: string, more: object): object => ({
  guardrail_name: name,
  litellm_params: { guardrail: 'litellm_content_filter', mode, default_on: true, ...more },
});

const litellmConfig = (upstream: string, masterKey: string, governs: boolean): object => ({
  model_list: [
    {
      model_name: 'gpt-4o',
      litellm_params: { model: 'openai/gpt-4o', api_base: `${upstream}/v1`, api_key: PROVIDER_KEY },
    },
  ],
  general_settings: { master_key: masterKey },
  ...(governs
    ? {
        litellm_settings: { callbacks: ['generic_api'] },
        guardrails: [
          filter('before', 'pre_call', {
            patterns: [
              ...patterns('MASK', ['email', 'us_phone', 'credit_card', 'iban']),
              ...patterns('BLOCK', ['us_ssn', ...SECRETS]),
            ],
            categories: ['prompt_injection_jailbreak', 'prompt_injection_system_prompt'].map((category) => ({
              ...{ category, enabled: true, action: 'BLOCK', severity_threshold: 'medium' },
            })),
          }),
          filter('after', 'post_call', { patterns: patterns('MASK', SECRETS) }),
        ],
      }
    : {}),
});

/** Starts LiteLLM with one worker, its default. @throws Error when it does not start */
export async function litellm(
  { command, version }: NonNullable<Installed['litellm']>,
  upstream: string,
  governs: boolean,
): Promise<Unnamed> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-litellm-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const masterKey = `sk-${randomBytes(16).toString('hex')}`;
  const config = join(folder, 'config.yaml');
  // JSON is valid YAML.
  writeFileSync(config, JSON.stringify(litellmConfig(upstream, masterKey, governs)), { mode: 0o600 });
  const running = await startCommand({
    command,
    argv: (port) => ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--telemetry', 'False'],
    // LiteLLM uses the prices in its package; otherwise it would download them.
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', GENERIC_LOGGER_ENDPOINT: `${upstream}/log`, HOME: folder },
    readyPath: '/health/liveliness',
  }).catch((error: unknown) => {
    remove();
    throw error;
  });
  return {
    does: governs
      ? 'checks one key, masks and refuses by its content filter, sends a log on in batches after the answer; no budget, nothing durable'
      : 'checks one key and passes calls on',
    version,
    governs,
    endpoint: { url: `${running.url}/v1/chat/completions`, headers: { authorization: `Bearer ${masterKey}` } },
    tree: new ProcessTree([running.pid]),
    stop: async () => {
      await running.stop();
      remove();
    },
  };
}
