/** SQL for a time as whole microseconds since 1970, which a Date would round. */
export function microsOf(time: string): string {
  return `(extract(epoch from ${time}) * 1000000)::bigint`;
}

/** SQL for the time of such a number, exactly. */
export function timeOf(micros: string): string {
  return `(timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond')`;
}
