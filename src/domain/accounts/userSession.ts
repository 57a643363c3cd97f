/** A session of a user. Only the browser that signed in knows its token. */
export interface UserSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Where it began; null if unknown. */
  readonly ipAddress: string | null;
  /** The browser's user agent; null if it sent none. */
  readonly userAgent: string | null;
}

/** A session as the database returns it. */
export interface SessionRow {
  id: string;
  created_at: string;
  expires_at: string;
  ip_address: string | null;
  user_agent: string | null;
}

export function userSession(row: SessionRow): UserSession {
  return {
    id: row.id,
    createdAt: new Date(row.created_at),
    expiresAt: new Date(row.expires_at),
    ipAddress: row.ip_address || null,
    userAgent: row.user_agent || null,
  };
}
