/**
 * The five functions of `keytar`, so that the module itself, a fork or a stand-in can be passed in. Only the first
 * three are called: on a locked keyring the find functions of keytar 7.9 end the process, and of others find nothing.
 */
export interface KeytarLike {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<unknown>;
  deletePassword(service: string, account: string): Promise<boolean>;
  findPassword?(service: string): Promise<string | null>;
  findCredentials?(
    service: string,
  ): Promise<readonly { readonly account: string; readonly password: string }[]>;
}
