/** The worker in which parts of the archive are packed and read: a part takes a second or so. */
import { serveTasks } from '../../workers/index.js';
import { packPart, unpackPart } from './part-file.js';

serveTasks({ packPart, unpackPart });
