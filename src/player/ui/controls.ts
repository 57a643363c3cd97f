import type { Actions } from '../actions.js';
import type { DharaPlayerElement, PlayerState } from '../api.js';
import type { Captions } from '../captions.js';
import { PlayerError } from '../errors.js';
import type { Session } from '../session.js';
import { setIcon, type IconName } from './icons.js';
import type { Menu } from './menu.js';
import { Slider } from './slider.js';

export interface ControlsDeps {
  readonly player: DharaPlayerElement;
  readonly session: Session;
  readonly captions: Captions;
  readonly actions: Actions;
  readonly menu: Menu;
  readonly find: (selector: string) => HTMLElement;
}

/** The row of buttons, the button in the middle, and the message that replaces them. */
export class Controls {
  readonly #volume: Slider;

  constructor(private readonly deps: ControlsDeps) {
    const { actions, menu, find, captions } = deps;
    const onClick = (id: string, act: (button: HTMLElement) => void): void => {
      const button = find(`#${id}`);
      button.addEventListener('click', () => act(button));
    };
    onClick('play', () => actions.togglePlay());
    onClick('big', () => {
      // It disappears now, and would take the keyboard focus with it.
      find('.shell').focus({ preventScroll: true });
      actions.togglePlay();
    });
    onClick('mute', () => actions.toggleMute());
    onClick('captions', (button) => {
      // With one language there is nothing to choose, so the button is a switch.
      if (captions.tracks.length === 1) captions.toggle();
      else menu.toggle(button, 'captions');
    });
    onClick('settings', (button) => menu.toggle(button));
    onClick('chapter', (button) => menu.toggle(button, 'chapters'));
    onClick('pip', () => actions.togglePip());
    onClick('fullscreen', () => actions.toggleFullscreen());
    find('#settings').ariaHasPopup = 'menu';
    this.#volume = new Slider(find('#volume'), (fraction) => actions.setVolume(fraction));
    find('#pip').hidden = !document.pictureInPictureEnabled;
    find('#fullscreen').hidden = !document.fullscreenEnabled && !('webkitEnterFullscreen' in deps.player.video);
  }

  sync(): void {
    const { player, session, captions, find } = this.deps;
    const isPlaying = !player.paused;
    const isOver = player.ended;
    const [icon, label]: [IconName, string] = isOver
      ? ['replay', 'Play again']
      : isPlaying
        ? ['pause', 'Pause']
        : ['play', 'Play'];
    name(find('#play'), icon, label);
    name(find('#big'), icon, [label, find('.title').textContent].filter(Boolean).join(' '));

    const isStarting = player.state === 'loading' && session.wantsToPlay;
    const isBuffering =
      session.hasStream && !isOver && isPlaying && player.video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
    find('.spinner').hidden = !isStarting && !isBuffering;
    find('.shell').classList.toggle('fresh', !session.hasStream);
    // Ready but not started: the browser refused autoplay, or nobody has pressed play yet.
    find('.shell').classList.toggle('over', isOver || (!isPlaying && player.video.played.length === 0));
    find('.shell').classList.toggle('busy', isStarting || isBuffering);

    const isSilent = player.muted || player.volume === 0;
    name(find('#mute'), isSilent ? 'muted' : 'volume', isSilent ? 'Unmute' : 'Mute');
    const volume = isSilent ? 0 : player.volume;
    this.#volume.show(volume, `${Math.round(volume * 100)}%`);

    const count = captions.tracks.length;
    const button = find('#captions');
    button.hidden = count === 0;
    button.ariaPressed = count === 1 ? String(captions.active !== undefined) : null;
    button.ariaHasPopup = count > 1 ? 'menu' : null;
    button.classList.toggle('on', captions.active !== undefined);

    const isFull = document.fullscreenElement !== null && player.matches(':fullscreen');
    name(find('#fullscreen'), isFull ? 'shrink' : 'fullscreen', isFull ? 'Leave full screen' : 'Full screen');
    // Until it is known, use what the page has set.
    if (session.hasStream && player.video.readyState > 0) {
      player.toggleAttribute('audio', player.video.videoWidth === 0);
    }
    find('.art').hidden = !player.hasAttribute('audio') || player.video.poster !== '';
  }

  showState(state: PlayerState, error: PlayerError | null): void {
    const { find } = this.deps;
    const message = find('.message');
    const isShown = error !== null || state === 'waiting';
    message.hidden = !isShown;
    message.classList.toggle('waits', state === 'waiting');
    for (const part of ['.controls', '#big']) find(part).inert = isShown;
    const words = error ?? new PlayerError('VIDEO_NOT_READY');
    find('.message strong').textContent = isShown ? words.title : '';
    find('.message span').textContent = isShown ? words.advice : '';
    const retry = find('#retry');
    retry.hidden = !error?.retry;
  }
}

function name(button: HTMLElement, icon: IconName, label: string): void {
  setIcon(button, icon);
  if (button.ariaLabel !== label) button.ariaLabel = label;
}
