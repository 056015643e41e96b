import type { CommandGroup, CommandSection, LazyCommand } from '../command.js';
import { ADMINISTERING } from './administer.js';
import { DEPLOYING } from './deploy-policies.js';
import { OBSERVING } from './observe-calls.js';
import { TESTING } from './test-policies.js';
import { WRITING } from './write-policies.js';

/** The commands of `weir`, in the sections and in the order of its help. None of them is imported before it is called. */
export const SECTIONS: readonly CommandSection[] = [WRITING, TESTING, DEPLOYING, OBSERVING, ADMINISTERING];

export const COMMANDS: readonly (LazyCommand | CommandGroup)[] = SECTIONS.flatMap(({ commands }) => commands);
