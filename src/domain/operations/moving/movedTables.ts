import {
  MOVED_API_KEYS,
  MOVED_NOTIFICATION_CHOICES,
  MOVED_REVOKED_QUOTA,
  MOVED_WEBHOOK_ENDPOINTS,
  MOVED_WEBHOOK_SECRETS,
} from '../../accounts/movedTables.js';
import { webhookSecretContext } from '../../accounts/webhooks/webhookSecrets.js';
import { MOVED_AUTOMATIC_ALLOCATION } from '../../ledger/movedTables.js';
import { contextOf } from '../../media/keys/mediaKeys.service.js';
import {
  MOVED_BRAND,
  MOVED_BRAND_VERSIONS,
  MOVED_CAPTIONS,
  MOVED_LOGOS,
  MOVED_MEDIA_KEYS,
  MOVED_RENDITIONS,
  MOVED_STORED_OBJECTS,
  MOVED_VIDEOS,
} from '../../media/movedTables.js';
import { MOVED_BILLING_DETAILS, MOVED_LOW_BALANCE } from '../../payments/movedTables.js';
import type { MovedTable } from '../../shared/movedTable.js';
import type { KeyPurpose } from '../../shared/secrets/masterKey.js';

/** A row whose column `sealed` is encrypted under a master key. */
export interface SealedRow {
  readonly master_key_id: string;
  /** As PostgreSQL writes bytes: `\x` and hexadecimal digits. */
  readonly sealed: string;
}

interface Moved {
  readonly table: MovedTable;
  /** For tables with secrets: what their keyring is for, and the place that a row is sealed for. */
  readonly secret?: { readonly purpose: KeyPurpose; readonly contextOf: (accountId: string, row: never) => string };
}

interface MediaKeyRow extends SealedRow {
  readonly video_id: string;
  readonly attempt: number;
  readonly run: number;
  readonly key_index: number;
}

interface WebhookSecretRow extends SealedRow {
  readonly endpoint_id: string;
  readonly id: string;
}

/** What moves with an account, in an order in which it can be inserted. */
export const MOVED: readonly Moved[] = [
  { table: MOVED_LOGOS },
  { table: MOVED_BRAND_VERSIONS },
  { table: MOVED_BRAND },
  { table: MOVED_VIDEOS },
  { table: MOVED_RENDITIONS },
  { table: MOVED_STORED_OBJECTS },
  { table: MOVED_CAPTIONS },
  {
    table: MOVED_MEDIA_KEYS,
    secret: {
      purpose: 'media-key',
      contextOf: (accountId, { video_id: videoId, attempt, run, key_index: keyIndex }: MediaKeyRow) =>
        contextOf({ accountId, videoId, attempt, run }, keyIndex),
    },
  },
  { table: MOVED_API_KEYS },
  { table: MOVED_REVOKED_QUOTA },
  { table: MOVED_WEBHOOK_ENDPOINTS },
  {
    table: MOVED_WEBHOOK_SECRETS,
    secret: {
      purpose: 'webhook-secret',
      contextOf: (accountId, { endpoint_id: endpointId, id }: WebhookSecretRow) =>
        webhookSecretContext(accountId, endpointId, id),
    },
  },
  { table: MOVED_AUTOMATIC_ALLOCATION },
  { table: MOVED_BILLING_DETAILS },
  { table: MOVED_LOW_BALANCE },
  { table: MOVED_NOTIFICATION_CHOICES },
];
