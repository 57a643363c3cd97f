import type { DharaPlayerElement } from '../../player/index.js';

/** How the page's one player stood. */
export interface PlayerMoment {
  readonly seconds: number;
  readonly plays: boolean;
}

const pagePlayer = (): DharaPlayerElement | null => document.querySelector<DharaPlayerElement>('dhara-player');

/** Of the page's one player; the beginning, where it was not started. */
export function playerPosition(): number {
  return pagePlayer()?.currentTime ?? 0;
}

/** Where a player that has loaded its video stands; null where the next play asks for everything anyway. */
export function playerMoment(): PlayerMoment | null {
  const player = pagePlayer();
  if (!player || (player.state === 'idle' && player.manifest === null)) return null;
  return { seconds: player.currentTime, plays: !player.paused };
}

/** Goes on in a new player where the one before it stood. */
export function resume(player: DharaPlayerElement, { seconds, plays }: PlayerMoment): void {
  player.currentTime = seconds;
  // A browser may want a click first: then the play button is there.
  if (plays) player.play().catch(() => undefined);
}
