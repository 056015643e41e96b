import process from 'node:process';
import { connect, everything } from './everything.mjs';

const settings = JSON.parse(process.env.SETTINGS);
console.log(JSON.stringify(await everything(settings, connect(settings))));
