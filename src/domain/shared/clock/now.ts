/**
 * SQL for the service's time, read once per statement. PostgreSQL asks `service_now()` anew for each row, and so cannot
 * search an index by it: a statement that looks for what is due would read everything that is not due yet.
 */
export const NOW_ONCE = '(select service_now())';
