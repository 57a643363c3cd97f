/** A ref for what is the first thing to do in a form that somebody has just asked for. */
export function beginHere(element: HTMLElement | null): void {
  element?.focus();
}
