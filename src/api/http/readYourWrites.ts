import type { IncomingMessage, ServerResponse } from 'node:http';

import type { RequestHandler } from 'express';

/** What a replica of the database is known to have. Positions are numbers that grow with each write. */
export interface ReplicaPosition {
  /** After everything that is committed now; `null` if not known. */
  position(): number | null;
  covers(position: number): boolean;
}

const COOKIE = 'dhara_read_after';
const IN_HEADER = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]*)`);
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** At this many accounts, those that the replica has caught up with are forgotten. */
const MAX_ACCOUNTS = 20_000;

/**
 * Decides who may read from a replica: everyone whose own writes it already has.
 *
 * A browser that writes gets the position of its write as a cookie, so that every process knows it. Whatever else
 * changes an account, such as a worker, is known by the notices that each process gets.
 */
export class ReadYourWrites {
  readonly #changes = new Map<string, number>();
  /** For accounts that have no entry in `#changes`. */
  #lowest = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: {
      readonly replica: ReplicaPosition;
      /** A replica that is further behind is not read by anyone, so no position has to be kept for longer. */
      readonly maxLagSeconds: number;
      /** Whether browsers reach the service by https. */
      readonly isSecure: boolean;
    },
  ) {}

  /** Something of the account has changed. */
  changed(accountId: string): void {
    const position = this.options.replica.position();
    if (position === null) return;
    this.#changes.set(accountId, position);
    if (this.#changes.size >= MAX_ACCOUNTS) this.#forget();
  }

  /** Something of any account may have changed. */
  missed(): void {
    const position = this.options.replica.position();
    if (position === null) return;
    this.#lowest = position;
    this.#changes.clear();
  }

  /** Adds the position to the response of a request that has written. */
  wrote(res: ServerResponse): void {
    const position = this.options.replica.position();
    if (position === null || res.headersSent) return;
    const { isSecure, maxLagSeconds } = this.options;
    const attributes = `Path=/graphql; HttpOnly; SameSite=Lax; Max-Age=${maxLagSeconds + 5}`;
    res.appendHeader('Set-Cookie', `${COOKIE}=${position}; ${attributes}${isSecure ? '; Secure' : ''}`);
  }

  mayRead(accountId: string, req: Pick<IncomingMessage, 'headers'>): boolean {
    const { replica } = this.options;
    const own = IN_HEADER.exec(req.headers.cookie ?? '')?.[1];
    // A cookie that somebody has changed only sends their own browser to the primary.
    const ownPosition = own === undefined ? 0 : /^\d{1,15}$/.test(own) ? Number(own) : Number.POSITIVE_INFINITY;
    return replica.covers(Math.max(ownPosition, this.#changes.get(accountId) ?? this.#lowest));
  }

  /** For routes of the dashboard's browsers whose writes are known by their method. */
  readonly markWrites: RequestHandler = (req, res, next) => {
    if (!SAFE_METHODS.has(req.method)) {
      const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => typeof res;
      res.writeHead = (...args: unknown[]) => {
        this.wrote(res);
        return writeHead(...args);
      };
    }
    next();
  };

  #forget(): void {
    for (const [accountId, position] of this.#changes) {
      if (this.options.replica.covers(position)) this.#changes.delete(accountId);
    }
    // If most of them stayed, the next change would go through them all again.
    if (this.#changes.size >= MAX_ACCOUNTS / 2) this.missed();
  }
}
