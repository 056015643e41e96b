/** Why a call is aborted when its client goes away; nobody is left to be told. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
