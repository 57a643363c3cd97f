/** The embedded database cannot be started. The message is one line for the person at the terminal. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  readonly code = 'EMBEDDED_POSTGRES_FAILED';
}

/** Another server holds this data directory. The message is one line for the person at the terminal. */
export class DataDirLockedError extends Error {
  override readonly name = 'DataDirLockedError';
  readonly code = 'DATA_DIR_LOCKED';
}
