/** A ref that focuses the first control of a form that was just opened. */
export function beginHere(element: HTMLElement | null): void {
  element?.focus();
}
