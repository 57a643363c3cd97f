import { movedTable } from '../shared/movedTable.js';

/** Revoked keys move, too, so that their tokens stay counted and nobody wonders where they are. */
export const MOVED_API_KEYS = movedTable('api_key', {
  columns: [
    'id',
    'name',
    'hash',
    'prefix',
    'last4',
    'daily_limit',
    'usage_day',
    'used',
    'taken_over',
    'revoked_at',
    'created_at',
  ],
  // A suspension is the old service's.
  arrivingAs: { suspended: 'false', last_granted: '0', minted_at: 'null' },
});

export const MOVED_REVOKED_QUOTA = movedTable('revoked_quota', { columns: ['day', 'tokens'] });

/** With the same secrets, so that receivers change nothing. Its failures so far are the old service's. */
export const MOVED_WEBHOOK_ENDPOINTS = movedTable('webhook_endpoint', {
  columns: ['id', 'url', 'description', 'event_types', 'disabled_reason', 'disabled_at', 'created_at'],
  arrivingAs: {
    failing_since: 'null',
    last_failed_at: 'null',
    failures: '0',
    paused_until: 'service_now()',
    lease_until: 'service_now()',
  },
});

export const MOVED_WEBHOOK_SECRETS = movedTable('webhook_secret', {
  columns: ['endpoint_id', 'id', 'master_key_id', 'sealed', 'ends_at'],
  where: 't.ends_at is null or t.ends_at > service_now()',
});

export const MOVED_NOTIFICATION_CHOICES = movedTable('notification_choice', {
  columns: ['kind', 'email', 'dashboard'],
});
