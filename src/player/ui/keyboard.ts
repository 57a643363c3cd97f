import type { Actions } from '../actions.js';
import type { DharaPlayerElement } from '../api.js';

const STEP_SECONDS = 5;
const LEAP_SECONDS = 10;
const VOLUME_STEP = 0.05;

/** The keys of the player, while the focus is inside it. */
export function listenToKeys(
  shell: HTMLElement,
  player: DharaPlayerElement,
  actions: Actions,
  toggleCaptions: () => void,
): void {
  const keys: Record<string, () => void> = {
    ' ': () => actions.togglePlay(),
    k: () => actions.togglePlay(),
    ArrowLeft: () => actions.seekBy(-STEP_SECONDS),
    ArrowRight: () => actions.seekBy(STEP_SECONDS),
    j: () => actions.seekBy(-LEAP_SECONDS),
    l: () => actions.seekBy(LEAP_SECONDS),
    ArrowUp: () => actions.changeVolume(VOLUME_STEP),
    ArrowDown: () => actions.changeVolume(-VOLUME_STEP),
    Home: () => actions.seekTo(0),
    End: () => actions.seekTo(player.duration),
    m: () => actions.toggleMute(),
    f: () => actions.toggleFullscreen(),
    c: toggleCaptions,
    '<': () => actions.stepRate(-1),
    '>': () => actions.stepRate(1),
  };

  shell.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.target as HTMLElement;
    // On a button, these keys press it.
    if (target.localName === 'button' && (event.key === ' ' || event.key === 'Enter')) return;
    if (player.state === 'error') return;
    const isVolume = target.localName === 'input' && target.parentElement?.id === 'volume';
    const act = (isVolume ? volumeKeys(actions)[event.key] : undefined) ?? keyFor(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  });

  function keyFor(key: string): (() => void) | undefined {
    if (/^\d$/.test(key) && player.duration > 0) return () => actions.seekTo((player.duration * Number(key)) / 10);
    return keys[key.length === 1 ? key.toLowerCase() : key];
  }
}

/** On the volume slider, every arrow key changes the volume. */
function volumeKeys(actions: Actions): Record<string, () => void> {
  return {
    ArrowLeft: () => actions.changeVolume(-VOLUME_STEP),
    ArrowRight: () => actions.changeVolume(VOLUME_STEP),
    Home: () => actions.setVolume(0),
    End: () => actions.setVolume(1),
  };
}
