import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A completed backup. */
export const Backup = defineEntity({
  name: 'Backup',
  tableName: 'backup',
  properties: {
    id: p.uuid().primary(),
    /** Its id in the repository. */
    snapshot: p.text(),
    finishedAt: p.datetime(),
  },
});
export type Backup = InferEntity<typeof Backup>;
