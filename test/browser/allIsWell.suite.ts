import { describe, expect, it } from 'vitest';

import { parseVideoId } from '../../src/domain/shared/ids.js';
import type { Scene } from './scene.js';

interface State {
  readonly what: string;
  /** SQL about the account `$1`. */
  readonly begin: string;
  readonly end: string;
  /** What the page says beside the number of things. */
  readonly says: RegExp;
}

const ENDPOINT = `
  insert into webhook_endpoint
    (account_id, id, url, description, disabled_reason, disabled_at, failing_since, paused_until, lease_until, created_at)
  select $1, gen_random_uuid(), 'http://127.0.0.1:9/all-is-well', '', reason, case when reason is null then null else now() end,
    case when reason = 'gone' then null else now() end, now() + interval '1 hour', now(), now()`;
const NO_ENDPOINT = `delete from webhook_endpoint where account_id = $1 and url like '%/all-is-well'`;

const STATES: readonly State[] = [
  {
    what: 'the account is suspended',
    begin: 'update account set suspended_at = now() where id = $1',
    end: 'update account set suspended_at = null where id = $1',
    says: /^This account is suspended$/,
  },
  {
    what: 'the email address is not verified',
    begin: 'update auth."user" set "emailVerified" = false where id = $1',
    end: 'update auth."user" set "emailVerified" = true where id = $1',
    says: /^Verify your email/,
  },
  {
    what: 'a webhook endpoint was disabled because it failed',
    begin: `${ENDPOINT} from (values ('gone')) t (reason)`,
    end: NO_ENDPOINT,
    says: /^1 webhook endpoint is disabled$/,
  },
  {
    what: 'webhook endpoints fail',
    begin: `${ENDPOINT} from (values (null::text), (null)) t (reason)`,
    end: NO_ENDPOINT,
    says: /^2 webhook endpoints fail$/,
  },
  {
    what: 'an API key has used its daily quota',
    begin: `insert into api_key (account_id, id, name, hash, prefix, last4, daily_limit)
      values ($1, gen_random_uuid(), 'All is well', '\\x00', 'dk_live_0000', '0000', 0)`,
    end: `delete from api_key where account_id = $1 and name = 'All is well'`,
    says: /^1 API key has used its daily quota$/,
  },
];

/** That Home counts everything that needs the owner. */
export function theStateOfHome(scene: () => Scene): void {
  describe('the first line of home', () => {
    it('counts everything that needs the owner, and says that everything works only if nothing does', async () => {
      const { page, complaints } = await scene().openWindow('/');
      const main = page.getByRole('main');
      const line = main.getByRole('status').filter({ hasText: /Everything works|needs? your attention/ });
      const things = async (): Promise<number> => {
        await page.goto('/');
        const text = await line.innerText();
        if (text.includes('Everything works')) return 0;
        return text.startsWith('One ') ? 1 : Number.parseInt(text, 10);
      };
      const { rows } = await scene().database.query<{ id: string }>(
        'select account_id as id from video where id = $1',
        [parseVideoId(scene().demo.videoId)],
      );
      const account = [rows[0]!.id];
      const before = await things();
      for (const { what, begin, end, says } of STATES) {
        await scene().database.query(begin, account);
        try {
          expect(await things(), what).toBe(before + 1);
          await main.getByText(says).first().waitFor();
        } finally {
          await scene().database.query(end, account);
        }
      }
      expect(await things()).toBe(before);
      expect(complaints).toEqual([]);
    });

    it('says nothing while the service does not respond', async () => {
      const { page } = await scene().openWindow('/');
      const line = page
        .getByRole('main')
        .getByRole('status')
        .filter({ hasText: /Everything works|needs? your attention/ });
      await line.waitFor();
      await page.context().setOffline(true);
      await page.getByText('No connection to the service').waitFor();
      await expect.poll(() => line.count()).toBe(0);
    });
  });
}
