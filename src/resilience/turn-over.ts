/** Long work gives its place to others: its progress is stored, and it continues later. */
export class TurnOver extends Error {
  override readonly name = 'TurnOver';
}
