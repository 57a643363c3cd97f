/** Numbers and times as people read them. */

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** "1.4 GB"; decimal units, as file managers and price lists count. */
export function showBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[unit]}`;
}

/** "1:02:09" or "0:20", as a player shows it. */
export function showDuration(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  const tail = `${String(minutes).padStart(hours > 0 ? 2 : 1, '0')}:${String(rest).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}

/** "about 3 min left"; coarse on purpose, since estimates jump. */
export function showTimeLeft(seconds: number): string {
  if (seconds < 5) return 'a few seconds left';
  if (seconds < 90) return `about ${Math.round(seconds / 5) * 5} s left`;
  if (seconds < 5400) return `about ${Math.round(seconds / 60)} min left`;
  return `about ${Math.round(seconds / 3600)} h left`;
}

const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

export function showDay(iso: string): string {
  return DAY.format(new Date(iso));
}

export function showMoment(iso: string): string {
  return MOMENT.format(new Date(iso));
}

/** "5 minutes ago" within a week, the day after that. */
export function showAge(iso: string, now = Date.now()): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1000);
  if (seconds > -45) return 'just now';
  if (seconds > -3600) return RELATIVE.format(Math.min(-1, Math.round(seconds / 60)), 'minute');
  if (seconds > -86_400) return RELATIVE.format(Math.round(seconds / 3600), 'hour');
  if (seconds > -604_800) return RELATIVE.format(Math.round(seconds / 86_400), 'day');
  return showDay(iso);
}

/** "5.2 Mbit/s" */
export function showBitrate(bitsPerSecond: number): string {
  return bitsPerSecond >= 1e6
    ? `${(bitsPerSecond / 1e6).toFixed(1)} Mbit/s`
    : `${Math.round(bitsPerSecond / 1e3)} kbit/s`;
}
