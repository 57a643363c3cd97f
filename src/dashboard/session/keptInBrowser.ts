import { isInView } from './view.js';

/**
 * What one user or account keeps in this browser, such as how they like to look at something. It needs no request before
 * the page is shown, and does not follow them to another browser. If it is lost, they choose or upload again.
 *
 * @returns null if there is nothing, or something that this code did not write
 */
export function readKept(name: string, ownerId: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(keyOf(name, ownerId)) ?? 'null');
  } catch {
    return null;
  }
}

/** In a view of another account, nothing of it stays in the browser of the member of staff. */
export function keep(name: string, ownerId: string, value: unknown): void {
  if (isInView()) return;
  try {
    localStorage.setItem(keyOf(name, ownerId), JSON.stringify(value));
  } catch {
    // Switched off or full: then it is remembered until the page is left.
  }
}

function keyOf(name: string, ownerId: string): string {
  return `dhara.${name}.${ownerId}`;
}
