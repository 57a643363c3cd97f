import { isDialogOpen, isFreeKey } from '../lib/freeKeys.js';

/** Whether the keyboard has a command key in place of Ctrl. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export type Shortcut = 'palette' | 'find' | 'upload' | 'help';

const SINGLE_KEYS: Readonly<Record<string, Shortcut>> = { '/': 'find', u: 'upload', U: 'upload', '?': 'help' };

/** What the pressed key asks for. Single keys do nothing while somebody types, in a dialog and in the player. */
export function shortcutOf(event: KeyboardEvent, isPaletteOpen: boolean): Shortcut | undefined {
  if (event.defaultPrevented || event.isComposing || event.repeat) return undefined;
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !shiftKey) {
    return isPaletteOpen || !isDialogOpen() ? 'palette' : undefined;
  }
  return isFreeKey(event) ? SINGLE_KEYS[key] : undefined;
}
