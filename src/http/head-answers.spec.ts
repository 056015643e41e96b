import { Controller, Get, Module, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigModule, loadConfig } from '../config/index.js';
import { createHttpAdapter, createLogger, HttpModule } from './index.js';

let read = 0;

async function* endless() {
  for (;;) {
    read += 1;
    yield 'line\n';
    await delay(1);
  }
}

@Controller()
class LinesController {
  @Get('lines')
  async lines(@Res() reply: FastifyReply): Promise<void> {
    await reply.type('text/plain').send(Readable.from(endless(), { objectMode: false }));
  }

  @Get('word')
  word(): string {
    return 'answer';
  }
}

describe('A HEAD request', () => {
  let app: NestFastifyApplication;
  let url = '';
  beforeAll(async () => {
    const config = loadConfig({ WEIR_DATA_DIR: 'unused' }, () => '');
    const logger = createLogger('debug', { write: () => undefined });
    @Module({ imports: [ConfigModule.forRoot(config), HttpModule.forRoot(logger)], controllers: [LinesController] })
    class LinesModule {}
    const adapter = createHttpAdapter(config, logger, () => undefined, { isDraining: false });
    app = await NestFactory.create<NestFastifyApplication>(LinesModule, adapter, { logger: false, bodyParser: false });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  });
  afterAll(() => app.close());

  it('does not read the stream that the answer to GET would contain', async () => {
    const answer = await fetch(`${url}/lines`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, 'text/plain', '']);
    const readThen = read;
    await delay(50);
    expect(read).toBe(readThen);
  });

  it('has the length of an answer that is no stream', async () => {
    const answer = await fetch(`${url}/word`, { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '6']);
  });
});
