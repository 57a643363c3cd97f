import { showNumber } from '../../lib/format.js';

/** "1 video", "1,200 videos". */
export function counted(count: number, one: string, other = `${one}s`): string {
  return `${showNumber(count)} ${count === 1 ? one : other}`;
}
