import { Migration } from '@mikro-orm/migrations';

/**
 * What owners did before `video_change` existed, from the event log. Whether it was the owner or an access token is not
 * known.
 */
export class Migration0167EarlierVideoChanges extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(`
      do $$
      begin
        loop
          insert into video_change (account_id, video_id, fact, kind, actor, created_at)
            select e.account_id, (e.data ->> 'uuid')::uuid, e.type || ':event:' || e.id, e.type, 'owner', e.created_at
            from event e
            where e.type in ('video.uploaded', 'video.deleted', 'video.restored') and not exists (
              select from video_change c where c.account_id = e.account_id and c.video_id = (e.data ->> 'uuid')::uuid
                and c.fact = e.type || ':event:' || e.id)
            limit 1000;
          exit when not found;
          commit;
        end loop;
      end $$`);
  }
}
