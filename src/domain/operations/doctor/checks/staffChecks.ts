import { execute } from '../../../../db/sql.js';
import { SEND_AGAIN } from '../../../accounts/notices/notice.service.js';
import { rowsCheck, type Check } from '../check.js';
import type { Services } from '../services.js';

/** What waits for people, and what signs them in. */
export function staffChecks(services: Services): readonly Check[] {
  return [ALERTS, BACKUPS, notices(services), measuring(services), signingKeys(services)];
}

const ALERTS = rowsCheck({
  name: 'alerts',
  title: 'unresolved alerts',
  remedy: 'Staff review and resolve them, with a reason.',
  text: `
    select kind || ' ' || subject, raised_at, message || case when times > 1 then ' (' || times || ' times)' else '' end
    from alert where resolved_at is null`,
});

/** A service that was never backed up keeps its backups some other way. */
const BACKUPS = rowsCheck({
  name: 'backups',
  title: 'the last backup is older than a day',
  remedy: 'Find out why `dhara backup` fails or does not run, and run it.',
  text: `
    select snapshot, finished_at, 'No backup was completed since.' from backup
    where finished_at = (select max(finished_at) from backup) and finished_at < service_now() - interval '26 hours'`,
});

function notices(services: Services): Check {
  const check = rowsCheck({
    name: 'notices',
    title: 'emails to owners that could not be sent',
    remedy: 'Tries them again, from the beginning. If they still fail, check SMTP_URL.',
    text: `
      select format('account %s, %s', account_id, key), created_at,
        case when send_after is null then 'Given up after ' || attempts || ' tries.'
          else 'It should have been sent at ' || send_after::timestamptz(0) || ': no worker sends.' end
      from notice where sent_at is null and (send_after is null or send_after < service_now() - interval '1 hour')`,
  });
  return {
    ...check,
    async repair({ signal }) {
      await execute(services().db.sql, SEND_AGAIN);
      return services().notices.send(signal);
    },
  };
}

function measuring(services: Services): Check {
  const check = rowsCheck({
    name: 'storage-measuring',
    title: 'the store has not been measured for over a day',
    remedy: 'Measures it now. Differences become alerts, and objects without an owner for a day are removed.',
    text: `
      select day::text, finished_at, case when measuring_since is null then 'Nobody has begun.'
          else 'It was begun at ' || measuring_since::timestamptz(0) || ' and broken off.' end
      from storage_night
      where measured_at is null and finished_at < service_now() - interval '1 day'
        and day = (select max(day) from storage_night where finished_at is not null and reversed_by is null)`,
  });
  return { ...check, repair: ({ signal }) => services().remeasure.runDue(signal) };
}

function signingKeys(services: Services): Check {
  const check = rowsCheck({
    name: 'signing-keys',
    title: 'playback tokens are signed by a retired key, or by none',
    remedy: 'Publishes a new key, which signs after a minute.',
    text: `
      select coalesce(max(kid), 'none'), max(verifies_until),
        case when max(kid) is null then 'There is no key.'
          when max(verifies_until) < service_now() then 'The last key has run out: no token is taken any more.'
          else 'The last key is retired, and has no successor.' end
      from (select * from playback_signing_key order by signs_from desc limit 1) last
      where not exists (select from playback_signing_key where verifies_until is null)
      having not exists (select from playback_signing_key where verifies_until is null)`,
  });
  return {
    ...check,
    async repair() {
      await services().playback.signingKeys.rotate();
      return 1;
    },
  };
}
