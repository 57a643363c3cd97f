/** The state of a link that plays the video on its page, because the click asks for nothing else. */
export const PLAY = { play: true } as const;

export function isPlay(state: unknown): boolean {
  return typeof state === 'object' && state !== null && 'play' in state && state.play === true;
}
