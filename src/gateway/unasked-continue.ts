import type { Duplex } from 'node:stream';

const START = 'HTTP/1.1 100';
const START_LENGTH = START.length;
/** `HTTP/1.0` has no such answer (RFC 9110, section 15.2), but servers err. */
const CONTINUE = /^HTTP\/1\.[01] 100(?=[ \r])/;
const HEAD_END = Buffer.from('\r\n\r\n');
const LONGEST_HEAD_BYTES = 16 * 1024;

/**
 * Lets a connection's reader pass over `100 Continue`. A client has to understand it although it never asked (RFC 9110,
 * section 15.2.1), and undici, which never asks, takes it for a broken answer. Other interim answers it understands.
 *
 * Looked at are only the bytes with which an answer begins: those that come after something was written. That holds for
 * connections on which one request waits at a time, and is written at once.
 */
export function passOverContinue<S extends Pick<Duplex, 'read' | 'write'>>(socket: S): S {
  const read = socket.read.bind(socket) as () => Buffer | null;
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isBeginning = true;
  let seen: Buffer | undefined;
  const passed = (chunk: Buffer): Buffer | null => {
    let bytes = seen === undefined ? chunk : Buffer.concat([seen, chunk]);
    seen = undefined;
    for (;;) {
      const start = bytes.toString('latin1', 0, START_LENGTH + 1);
      const isContinue = CONTINUE.test(start);
      const end = isContinue ? bytes.indexOf(HEAD_END) : -1;
      if (end >= 0) {
        bytes = bytes.subarray(end + HEAD_END.length);
        if (bytes.length === 0) return null;
        continue;
      }
      const mayBecome = isContinue ? bytes.length < LONGEST_HEAD_BYTES : mayBeContinue(start);
      if (mayBecome) {
        seen = bytes;
        return null;
      }
      isBeginning = false;
      return bytes;
    }
  };
  socket.read = (): Buffer | null => {
    for (;;) {
      const chunk = read();
      if (chunk === null || !isBeginning) return chunk;
      const bytes = passed(chunk);
      if (bytes !== null) return bytes;
    }
  };
  socket.write = (...args: unknown[]): boolean => {
    isBeginning = true;
    return write(...args);
  };
  return socket;
}

/** Whether so few bytes have come that they may become one. */
function mayBeContinue(start: string): boolean {
  return start.length <= START_LENGTH && (START.startsWith(start) || START.replace('1.1', '1.0').startsWith(start));
}
