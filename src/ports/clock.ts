/** The service's one clock, as domain code sees it. Statements that decide by time use SQL `service_now()` themselves. */
export interface Clock {
  now(): Promise<Date>;
}
