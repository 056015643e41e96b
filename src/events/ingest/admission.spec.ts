import { WeirError } from '../../http/index.js';
import {
  admit,
  reserve,
  type AdmissionContext,
  type AdmissionStep,
  type SpendingContext,
  type SpendingOutcome,
  type SpendingStep,
} from './admission.js';

const context = {} as AdmissionContext;
const spendingContext = {} as SpendingContext;

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

  it('takes back what was counted when a later step refuses, and once when the caller says so', async () => {
    const back: string[] = [];
    const counting = (name: string): AdmissionStep => ({
      name,
      admit: () => Promise.resolve(() => void back.push(name)),
    });
    const refusing: AdmissionStep = { name: 'no', admit: () => Promise.reject(new WeirError('subscription_lapsed')) };
    await expect(admit([counting('a'), refusing, counting('b')], context)).rejects.toMatchObject({});
    expect(back).toEqual(['a']);
    const takeBack = await admit([counting('c'), counting('d')], context);
    expect(back).toEqual(['a']);
    takeBack();
    takeBack();
    expect(back).toEqual(['a', 'c', 'd']);
  });
});

describe('reserve', () => {
  const child = (id: string) => ({ id }) as SpendingOutcome['children'][number];
  const step = (outcome: SpendingOutcome): SpendingStep => ({ name: 's', reserve: () => Promise.resolve(outcome) });

  it('grants what all grant, with everything they want stored', async () => {
    const granted = await reserve(
      [step({ outcome: 'granted', children: [child('1')] }), step({ outcome: 'granted', children: [child('2')] })],
      spendingContext,
    );
    expect(granted).toEqual({ outcome: 'granted', children: [{ id: '1' }, { id: '2' }] });
    expect(await reserve([], spendingContext)).toEqual({ outcome: 'granted', children: [] });
  });

  it('denies with the first denial, and keeps what the steps before it want stored', async () => {
    const denied = await reserve(
      [
        step({ outcome: 'granted', children: [child('1')] }),
        step({ outcome: 'denied', reason: 'budget_exceeded', message: 'used up', children: [child('2')] }),
        step({ outcome: 'granted', children: [child('3')] }),
      ],
      spendingContext,
    );
    expect(denied).toMatchObject({
      outcome: 'denied',
      reason: 'budget_exceeded',
      children: [{ id: '1' }, { id: '2' }],
    });
  });
});
