import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ConfigModule, loadConfig } from '../config/index.js';
import { createHttpAdapter, createLogger, HttpModule } from './index.js';

const begun: string[] = [];
let answer = Promise.withResolvers<string>();

@Controller()
class PipelinedController {
  @Get('first')
  first(): Promise<string> {
    begun.push('first');
    return answer.promise;
  }

  @Get('second')
  second(): string {
    begun.push('second');
    return 'answer two';
  }
}

describe('A request that is sent before the previous one on its connection is answered', () => {
  let app: NestFastifyApplication;
  beforeEach(async () => {
    begun.length = 0;
    answer = Promise.withResolvers();
    const config = loadConfig({ WEIR_DATA_DIR: 'unused' }, () => '');
    const logger = createLogger('debug', { write: () => undefined });
    @Module({
      imports: [ConfigModule.forRoot(config), HttpModule.forRoot(logger)],
      controllers: [PipelinedController],
    })
    class PipelinedModule {}
    const adapter = createHttpAdapter(config, logger, () => undefined, { isDraining: false });
    app = await NestFactory.create<NestFastifyApplication>(PipelinedModule, adapter, {
      logger: false,
      bodyParser: false,
    });
    await app.listen(0, '127.0.0.1');
  });
  afterEach(() => app.close());

  /** Sends both requests at once. Resolves when Node has passed both on. */
  async function sendBoth(): Promise<Socket> {
    const server = app.getHttpServer();
    const passedOn = new Promise<void>((resolve) => {
      let count = 0;
      server.on('request', () => {
        if (++count === 2) resolve();
      });
    });
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    socket.write(['first', 'second'].map((path) => `GET /${path} HTTP/1.1\r\nHost: weir\r\n\r\n`).join(''));
    await passedOn;
    return socket;
  }

  it('begins when the previous one is answered', async () => {
    const socket = await sendBoth();
    let received = '';
    const both = new Promise<void>((resolve) => {
      socket.setEncoding('utf8').on('data', (text: string) => {
        received += text;
        if (received.includes('answer two')) resolve();
      });
    });
    expect(begun).not.toContain('second');
    answer.resolve('answer one');
    await both;
    expect(received.indexOf('answer one')).toBeLessThan(received.indexOf('answer two'));
    expect(begun).toEqual(['first', 'second']);
    socket.destroy();
  });

  it('is not even read while others wait, so that a client cannot fill the memory behind a long answer', async () => {
    const server = app.getHttpServer();
    const others = 3_000;
    let seen = 0;
    server.on('request', () => (seen += 1));
    const connected = once(server, 'connection') as Promise<[Socket]>;
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    const request = (path: string): string => `GET /${path} HTTP/1.1\r\nHost: weir\r\n\r\n`;
    socket.write(request('first') + request('second').repeat(others));
    const [connection] = await connected;
    while (seen <= others && !connection.isPaused()) await nextTurn();
    expect(seen).toBeLessThan(others);
    const all = new Promise<void>((resolve) => {
      let [answers, rest] = [0, ''];
      socket.setEncoding('utf8').on('data', (text: string) => {
        const parts = (rest + text).split('answer two');
        answers += parts.length - 1;
        rest = parts.at(-1) ?? '';
        if (answers === others) resolve();
      });
    });
    answer.resolve('answer one');
    await all;
    expect(seen).toBe(others + 1);
    socket.destroy();
  }, 30_000);

  it('never begins if its client leaves before', async () => {
    const socket = await sendBoth();
    const server = app.getHttpServer();
    socket.destroy();
    await once(socket, 'close');
    const open = () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
    while ((await open()) > 0) await nextTurn();
    answer.resolve('answer one');
    await app.close();
    expect(begun).toEqual(['first']);
  });
});
