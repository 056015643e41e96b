import OpenAI from 'openai';
import { weir } from 'weir-sdk';
import { connect, everything } from './everything.mjs';

export default {
  async fetch(request, _environment, context) {
    const settings = await request.json();
    const connection = connect(settings);
    if (new URL(request.url).pathname === '/everything') return Response.json(await everything(settings, connection));
    const openai = weir(new OpenAI({ apiKey: 'k', baseURL: `${settings.providerUrl}/v1`, maxRetries: 0 }), connection);
    const ask = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] };
    const answer = await openai.chat.completions.create(ask);
    context.waitUntil(connection.flush());
    return Response.json(answer.choices[0].message.content);
  },
};
