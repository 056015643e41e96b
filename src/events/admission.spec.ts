import { WeirError } from '../http/index.js';
import { admit, type AdmissionContext, type AdmissionStep, type Rollback } from './admission.js';

const context = {} as AdmissionContext;

/** How a step answers: its result, or its refusal. */
type Answer = (result: Rollback | undefined | WeirError) => ReturnType<AdmissionStep['admit']>;

const atOnce: Answer = (result) => {
  if (result instanceof WeirError) throw result;
  return result;
};
const later: Answer = (result) => (result instanceof WeirError ? Promise.reject(result) : Promise.resolve(result));

describe.each([
  ['at once', [atOnce, atOnce, atOnce]],
  ['later', [later, later, later]],
  ['at once and later', [atOnce, later, atOnce]],
  ['later and at once', [later, atOnce, later]],
] as const)('admit, with steps that answer %s', (_name, [first, second, third]) => {
  /** The result of all steps, as the caller awaits it. */
  const admitted = async (...steps: readonly AdmissionStep[]): Promise<Rollback> => admit(steps, context);

  it('asks the steps in their order and ends at the first refusal', async () => {
    const asked: string[] = [];
    const step = (name: string, answer: Answer, refuses = false): AdmissionStep => ({
      name,
      admit: () => {
        asked.push(name);
        return answer(refuses ? new WeirError('rate_limit_exceeded') : undefined);
      },
    });
    await expect(admitted(step('a', first), step('b', second, true), step('c', third))).rejects.toMatchObject({
      type: 'rate_limit_exceeded',
    });
    expect(asked).toEqual(['a', 'b']);
  });

  it('rolls back the counts when a later step refuses, and only once when the caller rolls back twice', async () => {
    const back: string[] = [];
    const counting = (name: string, answer: Answer): AdmissionStep => ({
      name,
      admit: () => answer(() => void back.push(name)),
    });
    const refusing: AdmissionStep = { name: 'no', admit: () => second(new WeirError('subscription_lapsed')) };
    await expect(admitted(counting('a', first), refusing, counting('b', third))).rejects.toMatchObject({});
    expect(back).toEqual(['a']);
    const rollback = await admitted(counting('c', first), counting('d', second));
    expect(back).toEqual(['a']);
    rollback();
    rollback();
    expect(back).toEqual(['a', 'c', 'd']);
  });
});

it('admit returns no promise if no step has to wait', () => {
  const steps: AdmissionStep[] = [atOnce, atOnce].map((answer) => ({ name: 'step', admit: () => answer(undefined) }));
  expect(admit(steps, context)).toBeInstanceOf(Function);
  expect(() => admit([{ name: 'no', admit: () => atOnce(new WeirError('overloaded')) }], context)).toThrow(WeirError);
});
