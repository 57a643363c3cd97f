import { useSyncExternalStore } from 'react';
import { announce } from './Announcer.js';

const SHOWN_MS = 6000;
/** For a toast that offers to undo a change. */
export const UNDO_MS = 10_000;

export interface Toast {
  readonly title: string;
  readonly message?: string;
  readonly kind?: 'good' | 'bad' | 'plain';
  /** A button in the toast; pressing it closes the toast. */
  readonly action?: { readonly label: string; readonly run: () => void };
  /** How long it stays, `Infinity` until it is closed; paused while the pointer or the focus is on it. */
  readonly durationMs?: number;
}

export interface OpenToast extends Toast {
  readonly id: number;
}

let open: readonly OpenToast[] = [];
let lastId = 0;
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

function set(next: readonly OpenToast[]): void {
  open = next;
  for (const listener of listeners) listener();
}

/** Shows a toast in a corner for a while, and announces it to screen readers. Returns a function that closes it. */
export function showToast(toast: Toast): () => void {
  lastId += 1;
  const id = lastId;
  set([...open, { ...toast, id }]);
  announce([toast.title, toast.message].filter(Boolean).join('. '));
  resumeToast(id);
  return () => closeToast(id);
}

/** Shows a toast for as long as something takes, with words that change. Each change is announced. */
export function showProgress(toast: Toast): { readonly update: (title: string) => void; readonly close: () => void } {
  const close = showToast({ ...toast, durationMs: Number.POSITIVE_INFINITY });
  const id = lastId;
  return {
    close,
    update: (title) => {
      set(open.map((other) => (other.id === id ? { ...other, title } : other)));
      announce(title);
    },
  };
}

export function closeToast(id: number, byAction = false): void {
  const toast = open.find((other) => other.id === id);
  if (!toast) return;
  pauseToast(id);
  set(open.filter((other) => other.id !== id));
  if (byAction) toast.action?.run();
}

export function pauseToast(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

/** Restarts its timer. */
export function resumeToast(id: number): void {
  pauseToast(id);
  const toast = open.find((other) => other.id === id);
  if (toast && toast.durationMs !== Number.POSITIVE_INFINITY)
    timers.set(
      id,
      setTimeout(() => closeToast(id), toast.durationMs ?? SHOWN_MS),
    );
}

/** Those on screen, the newest last. */
export function openToasts(): readonly OpenToast[] {
  return open;
}

export function useToasts(): readonly OpenToast[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, openToasts);
}
