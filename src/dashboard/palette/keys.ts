/** Whether the keyboard has a command key in place of Ctrl. */
export const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

export type Shortcut = 'palette' | 'find' | 'upload' | 'help';

const SINGLE_KEYS: Readonly<Record<string, Shortcut>> = { '/': 'find', u: 'upload', U: 'upload', '?': 'help' };

/** What the pressed key asks for. Single keys do nothing while somebody types, in a dialog and in the player. */
export function shortcutOf(event: KeyboardEvent, isPaletteOpen: boolean): Shortcut | undefined {
  if (event.defaultPrevented || event.isComposing || event.repeat) return undefined;
  // Some dialogs stay in the page, hidden, after they are closed.
  const isInDialog = [...document.querySelectorAll('[role=dialog]')].some((dialog) => dialog.checkVisibility());
  const { key, ctrlKey, metaKey, altKey } = event;
  if (key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey && !event.shiftKey) {
    return isPaletteOpen || !isInDialog ? 'palette' : undefined;
  }
  if (ctrlKey || metaKey || altKey || isInDialog || takesKeys(event)) return undefined;
  return SINGLE_KEYS[key];
}

function takesKeys(event: KeyboardEvent): boolean {
  return event
    .composedPath()
    .some(
      (target) =>
        target instanceof Element && target.matches('input, textarea, select, [contenteditable], dhara-player'),
    );
}
