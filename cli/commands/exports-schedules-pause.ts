import { pausing } from '../exports/schedule-argument.js';

/** `weir exports schedules pause`: no file is begun until it is resumed. */
export const exportsSchedulesPause = pausing(true);
