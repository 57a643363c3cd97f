/** Where keys are text, or have their own meaning. Not checkboxes: they use only the space bar. */
const FIELDS = 'input:not([type=checkbox]), textarea, select, [contenteditable], [role=combobox], dhara-player';

/** Some dialogs stay in the page, hidden, after they are closed. */
export function isDialogOpen(): boolean {
  return [...document.querySelectorAll('[role=dialog]')].some((dialog) => dialog.checkVisibility());
}

/** Whether a single key can be a shortcut: nobody is typing, no dialog is open, and nothing else has used the key. */
export function isFreeKey(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
  const isInField = event.composedPath().some((target) => target instanceof Element && target.matches(FIELDS));
  return !isInField && !isDialogOpen();
}
