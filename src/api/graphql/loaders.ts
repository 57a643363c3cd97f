import DataLoader from 'dataloader';

import type { Caption } from '../../domain/media/captions/caption.service.js';
import type { CreditNoteOf } from '../../domain/payments/billing/invoice.service.js';
import type { KeyDay } from '../../domain/accounts/keys/keys.service.js';
import type { Processing } from '../../domain/media/pipeline/processing.entity.js';
import type { Rendition } from '../../domain/media/library/rendition.entity.js';
import type { OpenUpload, VideoAttempt } from '../../domain/media/library/videoParts.js';
import type { Move } from '../../domain/ledger/wallet.service.js';
import type { GraphqlServices, Reads } from './services.js';

/** A video or top-up of an account. Staff may read several accounts in one request. */
export interface OwnedKey {
  readonly accountId: string;
  readonly uuid: string;
}

/** An allocation of an account; `at` is its time as the database writes it. */
export interface AllocationKey {
  readonly accountId: string;
  readonly txId: string;
  readonly at: string;
}

/** The last `days` days of one key. */
export interface KeyDaysKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly days: number;
}

export interface Loaders {
  /** By the account's id; null if there is none. For staff. */
  readonly accountEmail: DataLoader<string, string | null>;
  readonly keyDays: DataLoader<KeyDaysKey, KeyDay[], string>;
  readonly captions: DataLoader<OwnedKey, Caption[], string>;
  readonly renditions: DataLoader<OwnedKey, Rendition[], string>;
  readonly processing: DataLoader<OwnedKey & VideoAttempt, Processing | null, string>;
  readonly upload: DataLoader<OwnedKey, OpenUpload | null, string>;
  readonly videoCost: DataLoader<OwnedKey, bigint, string>;
  readonly recentPlays: DataLoader<OwnedKey, number, string>;
  readonly videoTitle: DataLoader<OwnedKey, string | null, string>;
  /** By the top-up's id. */
  readonly creditNotes: DataLoader<OwnedKey, CreditNoteOf[], string>;
  readonly move: DataLoader<AllocationKey, Move | null, string>;
}

/** Loads parts of videos and entries: one statement per kind and account for a whole request. */
export function createLoaders(
  {
    captions,
    videoParts,
    wallet,
    keys,
    invoices,
    support,
  }: Pick<GraphqlServices, 'captions' | 'videoParts' | 'wallet' | 'keys' | 'invoices' | 'support'>,
  reads: () => Pick<Reads, 'analytics'>,
): Loaders {
  return {
    accountEmail: new DataLoader((accountIds) => support.emails(accountIds), { maxBatchSize: 500 }),
    keyDays: loader(
      ({ accountId, keyId, days }) => `${accountId}/${keyId}/${days}`,
      async (accountId, asked) => {
        // One statement per requested span of days; usually there is only one.
        const found = new Map<KeyDaysKey, KeyDay[]>();
        for (const [days, ofSpan] of Map.groupBy(asked, (key) => key.days)) {
          const ids = ofSpan.map(({ keyId }) => keyId);
          const usage = await keys.usage(accountId, ids, days);
          for (const key of ofSpan) found.set(key, usage.get(key.keyId) ?? []);
        }
        return asked.map((key) => found.get(key) ?? []);
      },
    ),
    captions: ownedLoader((accountId, videoIds) => captions.list(accountId, videoIds)),
    renditions: ownedLoader((accountId, videoIds) => videoParts.renditions(accountId, videoIds)),
    processing: loader(
      ({ accountId, uuid, attempt }) => `${accountId}/${uuid}/${attempt}`,
      (accountId, videos) => videoParts.processing(accountId, videos),
    ),
    upload: ownedLoader((accountId, videoIds) => videoParts.openUploads(accountId, videoIds)),
    videoCost: ownedLoader((accountId, videoIds) => wallet.videoCosts(accountId, videoIds)),
    recentPlays: ownedLoader((accountId, videoIds) => reads().analytics.recentPlays(accountId, videoIds)),
    videoTitle: ownedLoader((accountId, videoIds) => wallet.videoTitles(accountId, videoIds)),
    creditNotes: ownedLoader((accountId, topUpIds) => invoices.creditNotes(accountId, topUpIds)),
    move: loader(
      ({ accountId, txId }) => `${accountId}/${txId}`,
      (accountId, keys) => wallet.moves(accountId, keys),
    ),
  };
}

function ownedLoader<Part>(
  read: (accountId: string, videoIds: readonly string[]) => Promise<Part[]>,
): DataLoader<OwnedKey, Part, string> {
  return loader(
    ({ accountId, uuid }) => `${accountId}/${uuid}`,
    (accountId, keys) =>
      read(
        accountId,
        keys.map(({ uuid }) => uuid),
      ),
  );
}

function loader<Key extends { readonly accountId: string }, Part>(
  nameOf: (key: Key) => string,
  read: (accountId: string, keys: readonly Key[]) => Promise<Part[]>,
): DataLoader<Key, Part, string> {
  const load = async (keys: readonly Key[]): Promise<Part[]> => {
    const parts = new Map<string, Part>();
    for (const [accountId, ofAccount] of Map.groupBy(keys, (key) => key.accountId)) {
      const found = await read(accountId, ofAccount);
      for (const [index, key] of ofAccount.entries()) parts.set(nameOf(key), found[index] as Part);
    }
    return keys.map((key) => parts.get(nameOf(key)) as Part);
  };
  return new DataLoader(load, { cacheKeyFn: nameOf, maxBatchSize: 500 });
}
