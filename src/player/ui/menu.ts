import { icon } from './icons.js';

export interface Choice {
  readonly label: string;
  readonly detail?: string;
  readonly isChecked: boolean;
  readonly pick: () => void;
}

export interface Section {
  readonly id: string;
  readonly label: string;
  /** What the section shows as chosen. Default: the label of the chosen item. */
  readonly value?: string;
  readonly choices: readonly Choice[];
}

/** A menu with two levels and the usual keys: arrows, Home, End, Enter and Escape. */
export class Menu {
  #opener: HTMLElement | undefined;
  #section: string | undefined;
  /** True if the section was opened directly, so there is nothing to go back to. */
  #isDirect = false;

  constructor(
    private readonly element: HTMLElement,
    private readonly sections: () => readonly Section[],
    private readonly onToggle: (isOpen: boolean) => void,
  ) {
    element.addEventListener('keydown', (event) => this.#onKey(event));
    element.addEventListener('focusout', (event) => {
      const next = event.relatedTarget as Node | null;
      // If nothing is focused, the items were redrawn or a pointer is down. Both are handled elsewhere.
      if (next && !element.contains(next)) this.close();
    });
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Opens at a section, or closes if that section is open already. */
  toggle(opener: HTMLElement, section?: string): void {
    if (this.isOpen && this.#opener === opener) {
      this.close();
      return;
    }
    this.#expand(false);
    this.#opener = opener;
    this.#isDirect = section !== undefined;
    this.#expand(true);
    this.element.dataset['from'] = opener.id;
    this.element.hidden = false;
    this.#render(section);
    this.onToggle(true);
  }

  close(): void {
    if (!this.isOpen) return;
    const hadFocus = this.element.contains((this.element.getRootNode() as ShadowRoot).activeElement);
    this.element.hidden = true;
    this.#expand(false);
    if (hadFocus) this.#opener?.focus({ preventScroll: true });
    this.onToggle(false);
  }

  #expand(isOpen: boolean): void {
    if (this.#opener) this.#opener.ariaExpanded = String(isOpen);
  }

  #render(id: string | undefined): void {
    const all = this.sections();
    const section = all.find((other) => other.id === id);
    const from = this.#section;
    this.#section = section?.id;
    this.element.ariaLabel = section?.label ?? 'Settings';
    if (!section) {
      const items = all.map((each) =>
        item(
          'menuitem',
          '',
          each.label,
          each.value ?? each.choices.find(({ isChecked }) => isChecked)?.label,
          icon('next'),
          () => this.#render(each.id),
        ),
      );
      this.element.replaceChildren(...items);
      (items[all.findIndex((each) => each.id === from)] ?? items[0])?.focus({ preventScroll: true });
      return;
    }
    const choices = section.choices.map(({ label, detail = '', isChecked, pick }) => {
      const choice = item('menuitemradio', isChecked ? icon('check') : '', label, detail, '', () => {
        pick();
        this.close();
      });
      choice.ariaChecked = String(isChecked);
      return choice;
    });
    const back = this.#isDirect
      ? heading(section.label)
      : item('menuitem', icon('back'), section.label, '', '', () => this.#render(undefined));
    back.classList.add('head');
    this.element.replaceChildren(back, ...choices);
    const first = choices.find(({ ariaChecked }) => ariaChecked === 'true') ?? choices[0];
    first?.focus({ preventScroll: true });
    first?.scrollIntoView({ block: 'nearest' });
  }

  #onKey(event: KeyboardEvent): void {
    const items = [...this.element.querySelectorAll('button')];
    const at = items.indexOf((this.element.getRootNode() as ShadowRoot).activeElement as HTMLButtonElement);
    const goTo: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
    const target = goTo[event.key];
    // Keys that are typed here must not seek or pause the video behind it.
    event.stopPropagation();
    if (target !== undefined) items.at(target % items.length)?.focus();
    else if (event.key === 'ArrowRight' && !this.#section) items[at]?.click();
    else if (event.key === 'ArrowLeft' && this.#section && !this.#isDirect) this.#render(undefined);
    else if (event.key === 'Escape') this.close();
    else return;
    event.preventDefault();
  }
}

function item(role: string, start: string, label: string, detail = '', end: string, pick: () => void): HTMLElement {
  const element = document.createElement('button');
  element.tabIndex = -1;
  element.role = role;
  element.setAttribute('part', 'menu-item');
  element.innerHTML = `<i>${start}</i><span dir="auto"></span><small></small>${end}`;
  const [, name, hint] = element.children as unknown as [Element, Element, Element];
  name.textContent = label;
  hint.textContent = detail;
  element.addEventListener('click', pick);
  return element;
}

function heading(label: string): HTMLElement {
  const element = document.createElement('div');
  element.role = 'presentation';
  element.textContent = label;
  return element;
}
