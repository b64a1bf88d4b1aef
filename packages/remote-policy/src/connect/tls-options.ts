export interface TlsOptions {
  /** Certificate authorities to trust besides the usual ones: PEM text, or paths of PEM files. */
  readonly ca?: string | readonly string[] | undefined;
  /** Shown to the configured server when it asks for one; to no other host and to no proxy. */
  readonly clientCertificate?: ClientCertificate | undefined;
}

export interface ClientCertificate {
  /** PEM text, or the path of a PEM file. */
  readonly cert: string;
  /** PEM text, or the path of a PEM file. */
  readonly key: string;
  /** Opens an encrypted key. */
  readonly passphrase?: string | undefined;
}
