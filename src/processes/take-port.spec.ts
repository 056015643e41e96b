import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { takePort } from './take-port.js';

const HOST = '127.0.0.1';

async function somebodyOnAPort() {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

describe('A port that workers share', () => {
  it('is taken by only one of several supervisors that request it at the same time', async () => {
    const { port, close } = await somebodyOnAPort();
    await close();
    const tried = await Promise.allSettled(Array.from({ length: 5 }, () => takePort(port, HOST)));
    expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = tried.filter((each) => each.status === 'rejected').map(({ reason }) => reason as object);
    expect(refused).toHaveLength(4);
    for (const error of refused) expect(error).toMatchObject({ code: 'EADDRINUSE', port });
    // The port can be listened on, as the workers do.
    const worker = createServer().listen(port, HOST);
    await once(worker, 'listening');
    worker.close();
  });

  it('is free for the next supervisor as soon as the previous one has released it', async () => {
    const { port, close } = await somebodyOnAPort();
    await close();
    const giveBack = await takePort(port, HOST);
    await expect(takePort(port, HOST)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await giveBack();
    await takePort(port, HOST);
  });

  it('is awaited while a server that is stopping still has it', async () => {
    const { port, close } = await somebodyOnAPort();
    await close();
    const giveBack = await takePort(port, HOST);
    const taken = takePort(port, HOST);
    await new Promise(setImmediate);
    await giveBack();
    await taken;
  });

  it('is awaited while the workers of a killed server still use it, but not if another server uses it', async () => {
    const { port, close } = await somebodyOnAPort();
    await expect(takePort(port, HOST)).rejects.toMatchObject({ code: 'EADDRINUSE', port });
    await close();
    const ending = await somebodyOnAPort();
    const taken = takePort(ending.port, HOST);
    await ending.close();
    await taken;
  });
});
