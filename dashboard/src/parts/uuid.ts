const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether an id is one that the service made (RFC 9562); clients name events by other words too. */
export function isUuid(id: string): boolean {
  return UUID.test(id);
}
