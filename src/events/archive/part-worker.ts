/** The worker in which parts of the archive are compressed and read: a part takes about a second. */
import { serveTasks } from '../../workers/index.js';
import { packPart, unpackPart } from './part-file.js';

serveTasks({ packPart, unpackPart });
