import { words } from '#words/events.js';
import { showCredits } from '../lib/credits.js';

/** The field of an event's data that names its subject, by preference. */
const SUBJECTS = ['title', 'name', 'amount', 'balance', 'day'];
const CREDITS: ReadonlySet<string> = new Set(['amount', 'balance']);

/** What an event is about, in few words: the title of a video, the name of a key, an amount. */
export function subjectOf(payload: string): string {
  const { data } = JSON.parse(payload) as { data: Readonly<Record<string, unknown>> };
  const name = SUBJECTS.find((key) => typeof data[key] === 'string' && data[key] !== '');
  if (name === undefined) return '';
  const subject = String(data[name]);
  return CREDITS.has(name) ? words.credits(showCredits(subject)) : subject;
}

/** Indented JSON. */
export function prettyPayload(payload: string): string {
  return JSON.stringify(JSON.parse(payload), null, 2);
}
