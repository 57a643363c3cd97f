/** Properties of the element that are stored elsewhere: in the `<video>`, or in an attribute. */
interface Owner extends HTMLElement {
  readonly video: object;
}

interface Kept {
  get(this: Owner): unknown;
  set(this: Owner, value: never): void;
}

/** Reads and writes a property of the `<video>`. */
export const ofVideo = (name: string): Kept => ({
  get() {
    return (this.video as Record<string, unknown>)[name];
  },
  set(value) {
    (this.video as Record<string, unknown>)[name] = value;
  },
});

/** A text attribute. Null removes it. */
export const ofText = (name: string): Kept => ({
  get() {
    return this.getAttribute(name);
  },
  set(value: string | null) {
    if (value === null) this.removeAttribute(name);
    else this.setAttribute(name, value);
  },
});

/** React and Vue write `false` as "false". */
export const isOn = (flag: string | null): boolean => flag !== null && flag !== 'false';

/** A boolean attribute. */
export const ofFlag = (name: string): Kept => ({
  get() {
    return isOn(this.getAttribute(name));
  },
  set(value: boolean) {
    if (value) this.setAttribute(name, '');
    else this.removeAttribute(name);
  },
});

/** Defines properties on a class. `names` are separated by spaces. */
export function mirror(prototype: Owner, names: string, kept: (name: string) => Kept): void {
  for (const name of names.split(' ')) Object.defineProperty(prototype, name, kept(name));
}
