/** '1:02:03' or '2:03'. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds)) || 0;
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

/** '1 minute 5 seconds', for screen readers. */
export function spoken(seconds: number): string {
  const counts = clock(seconds).split(':').map(Number);
  const units = ['hour', 'minute', 'second'].slice(-counts.length);
  const words = counts.map((count, at) => (count === 0 ? '' : `${count} ${units[at]}${count === 1 ? '' : 's'}`));
  return words.filter(Boolean).join(' ') || '0 seconds';
}
