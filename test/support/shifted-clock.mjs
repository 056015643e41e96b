/** Loaded before a server (`node --import`): shifts the clock of its process by `TEST_CLOCK_SHIFT_MS`. */
const shiftMs = Number(process.env['TEST_CLOCK_SHIFT_MS']);
const TrueDate = Date;

globalThis.Date = class Date extends TrueDate {
  constructor(...given) {
    super(...(given.length === 0 ? [TrueDate.now() + shiftMs] : given));
  }

  static now() {
    return TrueDate.now() + shiftMs;
  }
};
const { timeOrigin } = performance;
Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin + shiftMs });
