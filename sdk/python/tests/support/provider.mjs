/** A simulated provider for the tests in Python: prints its address and an address that returns the requests; ends with its stdin. */
import { createServer } from 'node:http';
import { requireOfTests } from '../../../../scripts/packages-apart.mjs';

const { LLMock } = requireOfTests('@copilotkit/aimock');
const mock = new LLMock({ port: 0, host: '127.0.0.1' });
mock.onMessage('hello', { content: 'Hi there, how are you?' });
mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }] });
mock.onMessage('', { content: 'As you say.' });
await mock.start();
const seen = createServer((request, response) => {
  const bodies = mock.getRequests().map(({ path, headers, body }) => ({ path, headers, body }));
  response.setHeader('content-type', 'application/json').end(JSON.stringify(bodies));
});
seen.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ url: mock.url, seen: `http://127.0.0.1:${seen.address().port}` }));
});
process.stdin.resume().once('end', () => process.exit(0));
