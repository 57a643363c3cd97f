import type { ListedVideo } from './useVideoList.js';

export interface TagChange {
  readonly ids: readonly string[];
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** What brings back the tags of the videos that were changed: the opposite of what the change did to each of them. */
export function undoOf(
  videos: readonly Pick<ListedVideo, 'id' | 'tags'>[],
  changed: ReadonlySet<string>,
  { add, remove }: Pick<TagChange, 'add' | 'remove'>,
): TagChange[] {
  const undone = new Map<string, { ids: string[]; add: readonly string[]; remove: readonly string[] }>();
  for (const { id, tags } of videos) {
    if (!changed.has(id)) continue;
    const lost = remove.filter((tag) => tags.includes(tag) && !add.includes(tag));
    const gained = add.filter((tag) => !tags.includes(tag));
    if (lost.length + gained.length === 0) continue;
    const key = JSON.stringify([lost, gained]);
    const group = undone.get(key);
    if (group) group.ids.push(id);
    else undone.set(key, { ids: [id], add: lost, remove: gained });
  }
  return [...undone.values()];
}
