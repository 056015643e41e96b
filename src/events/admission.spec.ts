import { WeirError } from '../http/index.js';
import { admit, type AdmissionContext, type AdmissionStep } from './admission.js';

const context = {} as AdmissionContext;

describe('admit', () => {
  it('asks the steps in their order and ends at the first refusal', async () => {
    const asked: string[] = [];
    const step = (name: string, refuses = false): AdmissionStep => ({
      name,
      admit: () => {
        asked.push(name);
        return refuses ? Promise.reject(new WeirError('rate_limit_exceeded')) : Promise.resolve(undefined);
      },
    });
    await expect(admit([step('a'), step('b', true), step('c')], context)).rejects.toMatchObject({
      type: 'rate_limit_exceeded',
    });
    expect(asked).toEqual(['a', 'b']);
  });

  it('rolls back the counts when a later step refuses, and only once when the caller rolls back twice', async () => {
    const back: string[] = [];
    const counting = (name: string): AdmissionStep => ({
      name,
      admit: () => Promise.resolve(() => void back.push(name)),
    });
    const refusing: AdmissionStep = { name: 'no', admit: () => Promise.reject(new WeirError('subscription_lapsed')) };
    await expect(admit([counting('a'), refusing, counting('b')], context)).rejects.toMatchObject({});
    expect(back).toEqual(['a']);
    const rollback = await admit([counting('c'), counting('d')], context);
    expect(back).toEqual(['a']);
    rollback();
    rollback();
    expect(back).toEqual(['a', 'c', 'd']);
  });
});
