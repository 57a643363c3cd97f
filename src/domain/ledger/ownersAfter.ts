import { LOWEST_ID } from '../shared/ids.js';

/**
 * The owners after `:lastOwner`, or all if it is null, for walks of all owners in pages. `:lastOwner is null or …` would
 * mean the same, but PostgreSQL's plan for any value could then not enter the index at that owner: each page would read
 * all pages before it.
 */
export const AFTER_LAST_OWNER = `owner_id >= coalesce(:lastOwner::uuid, '${LOWEST_ID}')
  and owner_id is distinct from :lastOwner::uuid`;
