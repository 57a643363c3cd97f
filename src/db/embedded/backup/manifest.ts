/** Names of the files in a backup. */
export const CLUSTER = 'cluster';
/** Passwords of the database roles, as the cluster knows them. */
export const PASSWORDS = 'dhara/passwords.json';
/** The key that decrypts the secrets in the database, if it is a file and not a setting. */
export const MASTER_KEY = 'dhara/master.key';
/** The last file: its presence shows that the backup is complete. */
export const MANIFEST = 'dhara/manifest.json';

export const BACKUP_FORMAT = 1;

export interface Manifest {
  readonly format: number;
  readonly takenAt: string;
  /** The server's version. Data files belong to one major version. */
  readonly postgres: string;
  /** Digest of all headers and bytes before it. */
  readonly sha256: string;
}
