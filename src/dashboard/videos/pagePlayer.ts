import type { DharaPlayerElement } from '../../player/index.js';

/** The state of the page's only player. */
export interface PlayerMoment {
  readonly seconds: number;
  readonly plays: boolean;
}

const pagePlayer = (): DharaPlayerElement | null => document.querySelector<DharaPlayerElement>('dhara-player');

/** The position of the page's player; 0 if it was not started. */
export function playerPosition(): number {
  return pagePlayer()?.currentTime ?? 0;
}

/** The state of a player that has loaded its video; null if the next play loads everything anyway. */
export function playerMoment(): PlayerMoment | null {
  const player = pagePlayer();
  if (!player || (player.state === 'idle' && player.manifest === null)) return null;
  return { seconds: player.currentTime, plays: !player.paused };
}

/** Moves the page's player, also before it is started. */
export function seekPlayer(seconds: number): void {
  const player = pagePlayer();
  if (!player) return;
  player.currentTime = seconds;
  // A player that was not started tells nobody.
  for (const follower of followers) follower(seconds);
}

const followers = new Set<(seconds: number) => void>();

/** Calls `onMove` whenever the page's player is somewhere else. Returns a function that stops that. */
export function followPlayer(onMove: (seconds: number) => void): () => void {
  const player = pagePlayer();
  if (!player) return () => undefined;
  const report = (): void => onMove(player.currentTime);
  const events = ['timeupdate', 'seeking', 'ended'] as const;
  for (const event of events) player.addEventListener(event, report);
  followers.add(onMove);
  return () => {
    for (const event of events) player.removeEventListener(event, report);
    followers.delete(onMove);
  };
}

/** Resumes in a new player where the previous one was. */
export function resume(player: DharaPlayerElement, { seconds, plays }: PlayerMoment): void {
  player.currentTime = seconds;
  // The browser may require a click first; then the play button is shown.
  if (plays) player.play().catch(() => undefined);
}
