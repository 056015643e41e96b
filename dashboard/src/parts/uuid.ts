const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether an id was created by the service (RFC 9562); clients may also name events in other formats. */
export function isUuid(id: string): boolean {
  return UUID.test(id);
}
