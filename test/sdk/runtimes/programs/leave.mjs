/** Ends without a flush: queued reports have to be sent before the process ends. */
import process from 'node:process';
import OpenAI from 'openai';
import { weir } from 'weir-sdk';
import { connect } from './everything.mjs';

const settings = JSON.parse(process.env.SETTINGS);
const openai = weir(
  new OpenAI({ apiKey: 'k', baseURL: `${settings.providerUrl}/v1`, maxRetries: 0 }),
  connect(settings),
);
const answer = await openai.chat.completions.create({
  model: 'gpt-4o',
  messages: [{ role: 'user', content: 'hello' }],
});
console.log(JSON.stringify(answer.choices[0].message.content));
