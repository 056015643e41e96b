import { serveTasks } from '../../workers/index.js';

serveTasks({ read: () => process.exit(3) });
