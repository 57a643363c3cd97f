import { AppError } from '../../errors.js';
import { domainNotAllowed, isLocalPage, mayAskFor, type PageHeaders } from '../accounts/allowedSites.js';
import type { PlayableRow } from './playableVideos.js';
import { invalidToken, type PlaybackClaims } from './playbackToken.js';

/** A token that this service signed, on its way to a stream. */
export interface Exchange {
  readonly claims: Pick<PlaybackClaims, 'expiresAt' | 'keyId'>;
  /** `null` if the account does not exist. */
  readonly row: PlayableRow | null;
  readonly page: PageHeaders;
  /** The service's own host name. */
  readonly ownHost: string;
}

type Row = PlayableRow | null;
/** A row that all rules of the video let through. */
export type AllowedRow = PlayableRow & { readonly id: string };

const ofAccount = (row: Row): AppError | null =>
  row?.suspended ? new AppError('ACCOUNT_SUSPENDED', 'This account is suspended.') : null;

const ofVideo = (row: Row): AppError | null =>
  !row || row.id === null ? new AppError('VIDEO_NOT_FOUND', 'Video not found.') : null;

const ofRendition = (row: Row): AppError | null =>
  row && row.id !== null && !row.plays
    ? new AppError('VIDEO_NOT_READY', `Video not playable yet (status: ${row.status}).`)
    : null;

/** The rules of an exchange, in the order in which they are checked. Each returns its refusal. */
export const EXCHANGE_RULES = {
  expiry: ({ claims, row }: Exchange) =>
    row && row.now_epoch >= claims.expiresAt
      ? new AppError('PLAYBACK_TOKEN_EXPIRED', 'The playback token has expired. Create a new one.')
      : null,
  key: ({ row }: Exchange) => (row?.key_revoked ? invalidToken() : null),
  account: ({ row }: Exchange) => ofAccount(row),
  // Owners try the code of a preview in a file or on their own machine before their site has it.
  site: ({ claims, row, page, ownHost }: Exchange) =>
    row && !mayAskFor(row.allowed_domains, page, ownHost) && !(claims.keyId === null && isLocalPage(page, ownHost))
      ? domainNotAllowed()
      : null,
  video: ({ row }: Exchange) => ofVideo(row),
  rendition: ({ row }: Exchange) => ofRendition(row),
} as const;

const IN_ORDER = Object.values(EXCHANGE_RULES);

/** @throws the first refusal */
export function assertExchangeable(exchange: Exchange): AllowedRow {
  for (const refusalOf of IN_ORDER) {
    const refusal = refusalOf(exchange);
    if (refusal) throw refusal;
  }
  return exchange.row as AllowedRow;
}

/** The rules of account and video alone. @throws the first refusal */
export function assertPlayable(row: Row): AllowedRow {
  const refusal = ofAccount(row) ?? ofVideo(row) ?? ofRendition(row);
  if (refusal) throw refusal;
  return row as AllowedRow;
}
