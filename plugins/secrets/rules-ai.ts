import { isPlaceholder, looksLikeToken, looksLikeWords, looksRandom } from './randomness.js';
import { anchored, marked, near, nearNamed, unlessWords, type SecretRule } from './rule.js';

const UUID = /[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}/;

/** The vendor in a key such as `sk-vendor-…`, and a part of random letters and digits. */
const OF_VENDOR = /^sk-(?:[a-z][a-z0-9]{1,15}-){1,2}(?=[\w-]{20})/;
const MIXED_PART = /^(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{6}/;

/** Whether a key of this form is random after its vendor, and no name of a style, an element or a container. */
function isOfGateway(match: string): boolean {
  const value = match.replace(OF_VENDOR, '');
  const parts = value.split(/[-_]+/);
  if (parts.some((part) => /^[A-Za-z]{6,}$/.test(part) && looksLikeWords(part))) return false;
  return parts.some((part) => MIXED_PART.test(part)) && looksRandom(value) && !isPlaceholder(match);
}

/** AI providers, model hubs, vector stores and search for agents. */
export const AI_RULES: readonly SecretRule[] = [
  {
    code: 'openai_api_key',
    title: 'OpenAI API key',
    page: 'https://platform.openai.com/docs/api-reference/authentication',
    shapes: [
      marked(['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'], /sk-(?:proj|svcacct|admin|None)-[\w-]{20,200}/),
      // The middle of every key of this vendor is base64 of its name.
      anchored('T3BlbkFJ', /(?<![A-Za-z0-9])sk-(?:[a-z]{2,20}-)?[\w-]{20,90}T3BlbkFJ[\w-]{20,90}(?![\w-])/, {
        before: 120,
      }),
      { ...marked('sk-', /sk-(?!ant-|or-|lf-|live|test)[A-Za-z0-9]{32,64}/), score: 0.85 },
      // Gateways and other vendors with the same API: `sk-`, the vendor, and random characters, or only 22 random characters. Not the
      // beginnings of keys with a rule of their own, which can be wrapped, also behind a hyphen.
      {
        ...marked('sk-', /sk-(?!ant|or-|orv|lf|bt)(?:[a-z][a-z0-9]{1,15}-){1,2}[\w-]{20,200}/, {
          validate: isOfGateway,
        }),
        score: 0.85,
      },
      {
        ...marked('sk-', /sk-(?!ant|or-|orv|lf-|bt-)[\w-]{22}/, {
          validate: (match) => looksLikeToken(match.slice(3)),
        }),
        score: 0.8,
      },
    ],
  },
  {
    code: 'anthropic_api_key',
    title: 'Anthropic API key',
    page: 'https://docs.anthropic.com/en/api/getting-started',
    shapes: [marked('sk-ant-', /sk-ant-(?:[a-z]{2,12}\d{2}-)?[\w-]{24,400}/)],
  },
  {
    code: 'google_gemini_key',
    title: 'Google AI Studio credential',
    page: 'https://ai.google.dev/gemini-api/docs/api-key',
    shapes: [
      near(['gemini secret', 'gemini api secret'], /[A-Za-z0-9]{27,28}/),
      near('gemini*', /(?:master-|account-)[A-Za-z0-9]{20}/),
    ],
  },
  {
    code: 'cohere_api_key',
    title: 'Cohere API key',
    page: 'https://docs.cohere.com/docs/rate-limits',
    shapes: [near(['cohere', 'cohereai*', 'co api key'], /[A-Za-z0-9]{40}/)],
  },
  {
    code: 'huggingface_token',
    title: 'Hugging Face token',
    page: 'https://huggingface.co/docs/hub/security-tokens',
    shapes: [marked('hf_', /hf_[A-Za-z0-9]{30,40}/), marked('api_org_', /api_org_[A-Za-z0-9]{30,40}/)],
  },
  {
    code: 'replicate_token',
    title: 'Replicate API token',
    page: 'https://replicate.com/docs/topics/security/api-tokens',
    shapes: [marked('r8_', /r8_[A-Za-z0-9]{37}/)],
  },
  {
    code: 'groq_api_key',
    title: 'Groq API key',
    page: 'https://console.groq.com/docs/quickstart',
    shapes: [marked('gsk_', /gsk_[A-Za-z0-9]{48,56}/)],
  },
  {
    code: 'perplexity_api_key',
    title: 'Perplexity API key',
    page: 'https://docs.perplexity.ai/getting-started/quickstart',
    shapes: [marked('pplx-', /pplx-[A-Za-z0-9]{40,56}/)],
  },
  {
    code: 'openrouter_api_key',
    title: 'OpenRouter API key',
    page: 'https://openrouter.ai/docs/api-reference/authentication',
    shapes: [marked('sk-or-', /sk-or-(?:v\d-)?[a-f0-9]{64}/)],
  },
  {
    code: 'mistral_api_key',
    title: 'Mistral API key',
    page: 'https://docs.mistral.ai/getting-started/quickstart',
    shapes: [near('mistral*', /[A-Za-z0-9]{32}/)],
  },
  {
    code: 'xai_api_key',
    title: 'xAI API key',
    page: 'https://docs.x.ai/docs/tutorial',
    shapes: [marked('xai-', /xai-[A-Za-z0-9]{60,90}/)],
  },
  {
    code: 'together_api_key',
    title: 'Together AI API key',
    page: 'https://docs.together.ai/docs/quickstart',
    shapes: [
      marked('tgp_v1_', /tgp_v1_[\w-]{43}/),
      near(['togetherai*', 'together ai'], /[a-f0-9]{64}/),
      nearNamed('together*', /[a-f0-9]{64}/),
    ],
  },
  {
    code: 'fireworks_api_key',
    title: 'Fireworks AI API key',
    page: 'https://docs.fireworks.ai/getting-started/quickstart',
    shapes: [marked('fw_', /fw_[A-Za-z0-9]{20,32}/, { validate: unlessWords(/^fw_/) })],
  },
  {
    code: 'cerebras_api_key',
    title: 'Cerebras API key',
    page: 'https://inference-docs.cerebras.ai/quickstart',
    shapes: [marked('csk-', /csk-[a-z0-9]{40,64}/)],
  },
  {
    code: 'nvidia_api_key',
    title: 'NVIDIA API key',
    page: 'https://docs.nvidia.com/ngc/gpu-cloud/ngc-user-guide/',
    shapes: [
      marked('nvapi-', /nvapi-[\w-]{50,80}/),
      near(['ngc*', 'nvidia*'], /[A-Za-z0-9]{84}/),
      near(['ngc*', 'nvidia*'], /[a-z0-9]{26}:[a-z0-9-]{36}/),
    ],
  },
  {
    code: 'langsmith_api_key',
    title: 'LangSmith API key',
    page: 'https://docs.smith.langchain.com/administration/how_to_guides/organization_management/create_account_api_key',
    shapes: [marked(['lsv2_', 'ls__'], /(?:lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}|ls__[a-f0-9]{32})/)],
  },
  {
    code: 'langfuse_key',
    title: 'Langfuse secret key',
    page: 'https://langfuse.com/faq/all/where-are-langfuse-api-keys',
    shapes: [marked('sk-lf-', /sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/)],
  },
  {
    code: 'pinecone_api_key',
    title: 'Pinecone API key',
    page: 'https://docs.pinecone.io/guides/projects/manage-api-keys',
    shapes: [marked('pcsk_', /pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{48,70}/), near('pinecone*', UUID)],
  },
  {
    code: 'weights_and_biases_key',
    title: 'Weights & Biases API key',
    page: 'https://docs.wandb.ai/support/find_api_key/',
    shapes: [
      marked('wandb_v1_', /wandb_v1_[\w-]{60,90}/),
      near(['wandb*', 'weightsandbiases*', 'weights and biases'], /[a-f0-9]{40}/),
    ],
  },
  {
    code: 'deepgram_api_key',
    title: 'Deepgram API key',
    page: 'https://developers.deepgram.com/docs/create-additional-api-keys',
    shapes: [near('deepgram*', /[a-f0-9]{40}/)],
  },
  {
    code: 'assemblyai_api_key',
    title: 'AssemblyAI API key',
    page: 'https://www.assemblyai.com/docs/getting-started',
    shapes: [near('assemblyai*', /[a-f0-9]{32}/)],
  },
  {
    code: 'elevenlabs_api_key',
    title: 'ElevenLabs API key',
    page: 'https://elevenlabs.io/docs/api-reference/authentication',
    shapes: [marked('sk_', /sk_[a-f0-9]{48}/), near(['elevenlabs*', 'xi-api-key'], /[a-f0-9]{32}/)],
  },
  {
    code: 'stability_api_key',
    title: 'Stability AI API key',
    page: 'https://platform.stability.ai/docs/getting-started/authentication',
    shapes: [near(['stability*', 'dreamstudio*'], /sk-[A-Za-z0-9]{48}/)],
  },
  {
    code: 'voyage_api_key',
    title: 'Voyage AI API key',
    page: 'https://docs.voyageai.com/docs/api-key-and-installation',
    shapes: [marked('pa-', /pa-[\w-]{43}/, { validate: (match) => looksLikeToken(match.slice(3)) })],
  },
  {
    code: 'jina_api_key',
    title: 'Jina AI API key',
    page: 'https://jina.ai/api-dashboard/',
    shapes: [marked('jina_', /jina_[A-Za-z0-9_-]{50,64}/)],
  },
  {
    code: 'tavily_api_key',
    title: 'Tavily API key',
    page: 'https://docs.tavily.com/documentation/quickstart',
    shapes: [marked('tvly-', /tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,48}/)],
  },
  {
    code: 'firecrawl_api_key',
    title: 'Firecrawl API key',
    page: 'https://docs.firecrawl.dev/introduction',
    shapes: [marked('fc-', /fc-[a-f0-9]{32}/)],
  },
  {
    code: 'apify_token',
    title: 'Apify API token',
    page: 'https://docs.apify.com/platform/integrations/api',
    shapes: [marked('apify_api_', /apify_api_[A-Za-z0-9-]{36}/)],
  },
  {
    code: 'clarifai_key',
    title: 'Clarifai key',
    page: 'https://docs.clarifai.com/clarifai-basics/authentication/personal-access-tokens/',
    shapes: [near('clarifai*', /[a-z0-9]{32}/)],
  },
  {
    code: 'deepl_api_key',
    title: 'DeepL API key',
    page: 'https://developers.deepl.com/docs/getting-started/auth',
    shapes: [
      anchored(
        ':fx',
        /(?<![A-Za-z0-9])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}:fx(?![A-Za-z0-9])/,
        { before: 36 },
      ),
    ],
  },
  {
    code: 'cursor_api_key',
    title: 'Cursor API key',
    page: 'https://docs.cursor.com/en/account/teams/admin-api',
    shapes: [marked(['key_', 'crsr_'], /(?:key|crsr)_[a-f0-9]{64}/)],
  },
  {
    code: 'braintrust_api_key',
    title: 'Braintrust API key',
    page: 'https://www.braintrust.dev/docs/reference/api',
    shapes: [
      marked(['sk-bt-', 'bt-st-'], /(?:sk-bt|bt-st)-[A-Za-z0-9]{40,60}/),
      near('braintrust*', /sk-[A-Za-z0-9]{48}/),
    ],
  },
];
