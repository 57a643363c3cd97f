/** Outlines on a 24 × 24 grid. Those that start with `*` are filled. */
const ICONS = {
  play: '*M7 4.8v14.4L19 12z',
  pause: '*M7 5h3v14H7zM14 5h3v14h-3z',
  replay: 'M5.5 7.2A8 8 0 1 1 4 12M5 3v4.5h4.5',
  volume: 'M4 9.5v5h3.5l4.5 4v-13l-4.5 4zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.3a8 8 0 0 1 0 11.4',
  muted: 'M4 9.5v5h3.5l4.5 4v-13l-4.5 4zM16 9.5l5 5m0-5l-5 5',
  captions:
    'M6 5h12a3 3 0 0 1 3 3v8a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3V8a3 3 0 0 1 3-3zM10.6 10.4a2.1 2.1 0 1 0 0 3.2M17 10.4a2.1 2.1 0 1 0 0 3.2',
  settings:
    'M4 7.5h8.5m5 0H20M4 16.5h2.5m5 0H20M17.5 7.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM11.5 16.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z',
  pip: 'M10 19H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v4M13.5 14H21v5.5h-7.5z',
  fullscreen: 'M4 9V5h4M20 9V5h-4M4 15v4h4M20 15v4h-4',
  shrink: 'M8 5v4H4M16 5v4h4M8 19v-4H4M16 19v-4h4',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  next: 'M9.5 6l6 6-6 6',
  back: 'M14.5 6l-6 6 6 6',
  note: 'M9 18V6.5l10-2V16M9 18a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM19 16a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z',
} as const;

export type IconName = keyof typeof ICONS;

/** The markup of an icon, hidden from screen readers. */
export function icon(name: IconName): string {
  const path = ICONS[name];
  const isFilled = path.startsWith('*');
  return `<svg viewBox="0 0 24 24" aria-hidden="true"${isFilled ? ' class="filled"' : ''}><path d="${isFilled ? path.slice(1) : path}"/></svg>`;
}

/** Shows another icon in a button. */
export function setIcon(button: HTMLElement, name: IconName): void {
  if (button.dataset['icon'] === name) return;
  button.dataset['icon'] = name;
  button.innerHTML = icon(name);
}
