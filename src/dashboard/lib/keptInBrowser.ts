/**
 * What one user keeps in this browser: how they like to look at something. It needs no request before the page is shown,
 * and does not follow them to another browser. Nothing that matters is kept here.
 */
export function readKept(name: string, userId: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(keyOf(name, userId)) ?? 'null');
  } catch {
    return null;
  }
}

export function keep(name: string, userId: string, value: unknown): void {
  try {
    localStorage.setItem(keyOf(name, userId), JSON.stringify(value));
  } catch {
    // Switched off or full: then it is remembered until the page is left.
  }
}

function keyOf(name: string, userId: string): string {
  return `dhara.${name}.${userId}`;
}
