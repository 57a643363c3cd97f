const TIMECODE = /^(?:(?:(\d{1,4}):)?(\d{1,4}):)?(\d{1,6})(?:[.,](\d{1,3}))?$/;

/** The seconds of "1:02:03.5", "2:03" or "75"; null if it is not a time. */
export function parseTimecode(text: string): number | null {
  const [all, hours, minutes, seconds = '', fraction = ''] = TIMECODE.exec(text.trim()) ?? [];
  if (all === undefined) return null;
  if ((minutes !== undefined && Number(seconds) > 59) || (hours !== undefined && Number(minutes) > 59)) return null;
  const whole = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds);
  return (whole * 1000 + Number(fraction.padEnd(3, '0'))) / 1000;
}

/** "1:02:03.5", without rounding. */
export function showTimecode(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  const [hours, minutes, rest] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, (ms % 60_000) / 1000];
  const tail = `${String(minutes).padStart(hours > 0 ? 2 : 1, '0')}:${rest < 10 ? '0' : ''}${rest}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}
