import { pausing } from '../exports/schedule-argument.js';

/** `weir exports schedules resume`: the next file begins where the last one ended. */
export const exportsSchedulesResume = pausing(false);
