/** The names of what a backup holds. */
export const CLUSTER = 'cluster';
/** Of the database's roles, as the cluster knows them. */
export const PASSWORDS = 'dhara/passwords.json';
/** What opens the secrets in the database, where it is a file and no setting. */
export const MASTER_KEY = 'dhara/master.key';
/** Stands at the end, and says that all came before it. */
export const MANIFEST = 'dhara/manifest.json';

export const BACKUP_FORMAT = 1;

export interface Manifest {
  readonly format: number;
  readonly takenAt: string;
  /** The server's version; data files belong to one major version. */
  readonly postgres: string;
  /** Of all headers and bytes before. */
  readonly sha256: string;
}
