/** One place where somebody is signed in. Its token is known to that browser alone. */
export interface UserSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Where it began; null where that is not known. */
  readonly ipAddress: string | null;
  /** What the browser calls itself; null where it said nothing. */
  readonly userAgent: string | null;
}

/** As the database writes it. */
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
