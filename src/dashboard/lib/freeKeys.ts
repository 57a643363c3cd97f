/** Where keys are text, or have a meaning of their own. A checkbox leaves all but the space bar to others. */
const FIELDS = 'input:not([type=checkbox]), textarea, select, [contenteditable], [role=combobox], dhara-player';

/** Some dialogs stay in the page, hidden, after they are closed. */
export function isDialogOpen(): boolean {
  return [...document.querySelectorAll('[role=dialog]')].some((dialog) => dialog.checkVisibility());
}

/** Whether a single key is free for a shortcut: nobody types, no dialog is open, and nothing else has used it. */
export function isFreeKey(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
  const isInField = event.composedPath().some((target) => target instanceof Element && target.matches(FIELDS));
  return !isInField && !isDialogOpen();
}
