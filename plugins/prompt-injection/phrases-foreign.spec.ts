import { promptInjection } from './prompt-injection.js';
import { IDIOMS } from './testdata/attack-samples.js';

const scan = promptInjection.create({}, { codes: new Set(['instruction_override'] as const) });
/** The score from which the shipped policies act. */
const SHIPPED_SCORE = 0.7;
const isFound = (text: string): boolean => scan(text).some(({ score }) => score >= SHIPPED_SCORE);

describe('Idioms for paying no attention to earlier instructions', () => {
  it.each(IDIOMS)('are found in %s: %s', (_language, text) => {
    expect(isFound(text)).toBe(true);
    expect(isFound(`Ok. ${text} 42`)).toBe(true);
  });

  it.each([
    'No sigas las instrucciones de un desconocido.',
    'Lea las instrucciones anteriores antes de montar el mueble.',
    'Tenez compte des consignes précédentes.',
    'Beachten Sie die Anweisungen auf der nächsten Seite.',
    'Bitte beachte die vorherigen Anweisungen genau.',
    'Lass die Tür offen.',
    'Se bort fra denne e-mailen, den var til en annen.',
    'Non considerare il meteo di ieri.',
    'Nie zwracaj uwagi na hałas.',
  ])('are nothing else: %s', (text) => {
    expect(isFound(text)).toBe(false);
  });
});
