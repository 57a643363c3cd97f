/** A session that holds what a migration waits for, as far as PostgreSQL shows it to the migrating role. */
export interface Blocker {
  /** 0 for a prepared transaction. */
  readonly pid: number;
  readonly role: string | null;
  readonly application: string | null;
  readonly state: string | null;
  /** How long its transaction has been open; null if PostgreSQL does not say. */
  readonly openSeconds: number | null;
  /** The statement that it runs or ran last. PostgreSQL hides it from roles that may not see it. */
  readonly query: string | null;
  /** Tables that the migration waits for; null if it waits for something else. */
  readonly tables: string | null;
}

/** What holds after any failure. */
export const RESUME = 'Finished migrations stay, and the next run of dhara migrate continues here.';

/** A step of `dhara migrate` that failed. Earlier steps stay done, and the next run resumes with this one. */
export class MigrationError extends Error {
  constructor(
    /** The migration's name, or words for a step that every run repeats. */
    readonly step: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'MigrationError';
  }
}

/** A step that gave up waiting for a lock. */
export class MigrationBlockedError extends MigrationError {
  constructor(
    step: string,
    readonly blocker: Blocker | null,
    attempts: number,
    options: ErrorOptions,
  ) {
    const end = blocker && blocker.pid > 0 ? ` To end that session: select pg_terminate_backend(${blocker.pid});` : '';
    super(step, `${step} ${describeWait(blocker)}. It gave up after ${attempts} attempts.${end} ${RESUME}`, options);
    this.name = 'MigrationBlockedError';
  }
}

/** Continues a sentence that begins with the step. */
export function describeWait(blocker: Blocker | null): string {
  if (!blocker) return 'waits for a lock that another session holds';
  const { pid, role, application, state, openSeconds, query, tables } = blocker;
  const holder = pid === 0 ? 'a prepared transaction' : `process ${pid}`;
  const details = [
    role && `role ${role}`,
    application && `application ${application}`,
    state && (openSeconds === null ? state : `${state}, its transaction open for ${openSeconds.toFixed(0)} s`),
    query && `statement: ${query.replaceAll(/\s+/g, ' ').trim()}`,
  ].filter((detail) => detail);
  return `waits for a lock${tables === null ? '' : ` on ${tables}`} that ${holder} holds${details.length > 0 ? ` (${details.join('; ')})` : ''}`;
}
