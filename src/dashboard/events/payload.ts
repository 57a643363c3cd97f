/** The field of an event's data that names its subject, by preference. */
const SUBJECTS = ['title', 'name', 'amount', 'balance', 'day'];

/** What an event is about, in few words: the title of a video, the name of a key, an amount. */
export function subjectOf(payload: string): string {
  const { data } = JSON.parse(payload) as { data: Readonly<Record<string, unknown>> };
  const name = SUBJECTS.find((key) => typeof data[key] === 'string' && data[key] !== '');
  return name === undefined ? '' : String(data[name]);
}

/** Indented JSON. */
export function prettyPayload(payload: string): string {
  return JSON.stringify(JSON.parse(payload), null, 2);
}
