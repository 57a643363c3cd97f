/**
 * Resolves when the browser has laid out and painted what was rendered. To focus or scroll to an element before makes it
 * lay out the page at once and again for the paint, in the task that rendered it: on a phone that is a quarter of a second.
 */
export async function painted(): Promise<void> {
  // Hidden pages do not paint.
  if (document.hidden) return;
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}
