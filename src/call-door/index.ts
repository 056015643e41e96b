/**
 * The door for clients that call their provider by themselves: it says whether a call may go on and what is to be sent,
 * and is told how the call ended. What it asks about and takes in is judged like a call through the proxy.
 */
export { CallDoorModule } from './call-door.module.js';
