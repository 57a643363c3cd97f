/**
 * Scrolls a row that may be wider than the screen, such as tabs on a phone, to its current item, and again when the row gets
 * another width. Scrolls the row alone: the page may have been scrolled meanwhile.
 *
 * @returns a function that stops it
 */
export function keepShown(
  row: HTMLElement,
  currentIn: (row: HTMLElement) => HTMLElement | null | undefined,
): () => void {
  // It is called when the browser has laid out the page, which measuring any earlier would make it do twice.
  const observer = new ResizeObserver(() => {
    const current = currentIn(row)?.getBoundingClientRect();
    if (!current) return;
    const { left } = row.getBoundingClientRect();
    row.scrollLeft += current.left + current.width / 2 - left - row.clientWidth / 2;
  });
  observer.observe(row);
  return () => observer.disconnect();
}
