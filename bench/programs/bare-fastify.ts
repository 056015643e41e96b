import fastify from 'fastify';

/** An event endpoint that only parses JSON: the baseline for `/v1/events`. */
const app = fastify();
app.get('/healthz', () => ({ status: 'ok' }));
app.post('/v1/events', (request) => ({ event_id: 'none', received: typeof request.body }));
await app.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
