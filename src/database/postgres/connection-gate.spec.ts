import { ConnectionGate } from './connection-gate.js';

const LONG_MS = 60_000;

/** Waits only if it has to. */
const enter = async (gate: ConnectionGate): Promise<void> => {
  if (!gate.enterNow()) await gate.turn();
};

describe('The gate for statements that no call waits for', () => {
  it('leaves connections of the pool to calls, and serves the others in order', async () => {
    const gate = ConnectionGate.of(10, LONG_MS);
    const order: number[] = [];
    const all = Array.from({ length: 10 }, (_, n) => enter(gate).then(() => order.push(n)));
    await Promise.all(all.slice(0, 7));
    expect([order, gate.waiting]).toEqual([[0, 1, 2, 3, 4, 5, 6], 3]);
    for (let n = 0; n < 3; n += 1) gate.leave();
    await Promise.all(all);
    expect([order.slice(7), gate.waiting]).toEqual([[7, 8, 9], 0]);
    for (let n = 0; n < 7; n += 1) gate.leave();
    expect(Array.from({ length: 8 }, () => gate.enterNow())).toEqual([true, true, true, true, true, true, true, false]);
  });

  it('refuses a statement that has waited too long, and passes its turn to the next one', async () => {
    const gate = new ConnectionGate(1, 1);
    await enter(gate);
    await expect(enter(gate)).rejects.toMatchObject({ name: 'DatabaseUnavailable', code: 'NO_CONNECTION' });
    const patient = enter(gate);
    gate.leave();
    await patient;
    expect([gate.waiting, gate.enterNow()]).toEqual([0, false]);
  });

  it('lets all statements of a small pool use all of its connections', () => {
    const gate = ConnectionGate.of(5, LONG_MS);
    expect(Array.from({ length: 50 }, () => gate.enterNow())).not.toContain(false);
  });
});
