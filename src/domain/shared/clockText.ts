/** `1:02:03` or `0:04`, as a player shows a position. A part of a second is left out. */
export function clockText(ms: number): string {
  const whole = Math.floor(ms / 1_000);
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = String(rest).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}
